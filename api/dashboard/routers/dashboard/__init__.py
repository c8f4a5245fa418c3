"""Pages of the dashboard itself: its first page, and what all forms need."""

from typing import Final

from api.dashboard.routers.dashboard import draft_forms, me_page, no_client, overview

ROUTERS: Final = (overview.router, me_page.router, no_client.router, draft_forms.router)
