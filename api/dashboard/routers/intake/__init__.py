"""Pages of intake: sending a ticket by hand."""

from typing import Final

from api.dashboard.routers.intake import ticket_pages

ROUTERS: Final = (ticket_pages.router,)
