"""The dashboard's overview page, the page with a person's preferences, and routes that all forms
need."""

from typing import Final

from api.dashboard.routers.dashboard import draft_forms, me_page, overview

ROUTERS: Final = (overview.router, me_page.router, draft_forms.router)
