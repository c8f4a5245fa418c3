"""Dashboard pages for the copilot."""

from typing import Final

from api.dashboard.routers.copilot import copilot_page

ROUTERS: Final = (copilot_page.router,)
