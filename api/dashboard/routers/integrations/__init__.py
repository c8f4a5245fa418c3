"""Dashboard pages for shops, helpdesks, webhook endpoints, and the mail sender."""

from typing import Final

from api.dashboard.routers.integrations import (
    inbound_address_pages,
    integration_pages,
    mail_sender_pages,
)

ROUTERS: Final = (
    integration_pages.router,
    inbound_address_pages.router,
    mail_sender_pages.router,
)
