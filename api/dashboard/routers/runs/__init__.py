"""Dashboard pages for runs and conversations."""

from typing import Final

from api.dashboard.routers.runs import (
    conversation_pages,
    run_pages,
    writing_pages,
)

ROUTERS: Final = (
    conversation_pages.router,
    writing_pages.router,
    run_pages.router,
)
