"""Pages of runs and of conversations."""

from typing import Final

from api.dashboard.routers.runs import conversation_pages, run_pages

ROUTERS: Final = (conversation_pages.router, run_pages.router)
