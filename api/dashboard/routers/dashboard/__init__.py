"""Pages of the dashboard itself: its first page, and what all forms need."""

from typing import Final

from api.dashboard.routers.dashboard import draft_forms, no_client, overview

ROUTERS: Final = (overview.router, no_client.router, draft_forms.router)
