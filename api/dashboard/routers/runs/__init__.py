"""Dashboard pages for runs and conversations."""

from typing import Final

from api.dashboard.routers.runs import (
    conversation_list_pages,
    conversation_pages,
    run_pages,
    writing_pages,
)

ROUTERS: Final = (
    conversation_list_pages.router,
    conversation_pages.router,
    writing_pages.router,
    run_pages.router,
)
