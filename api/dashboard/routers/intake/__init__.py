"""Dashboard pages for attachments, and for tickets that members enter."""

from typing import Final

from api.dashboard.routers.intake import attachment_pages, ticket_pages

ROUTERS: Final = (attachment_pages.router, ticket_pages.router)
