"""The dashboard's overview page, the user's preferences page, and routes needed by all forms."""

from typing import Final

from api.dashboard.routers.dashboard import draft_forms, me_page, overview

ROUTERS: Final = (overview.router, me_page.router, draft_forms.router)
