"""Pages of webhooks: their URLs, their deliveries, and help for receivers."""

from typing import Final

from api.dashboard.routers.webhooks import (
    delivery_pages,
    webhook_deed_pages,
    webhook_help_pages,
    webhook_pages,
)

# The catalogue's page comes before the pages of one webhook, whose id it would match.
ROUTERS: Final = (
    webhook_help_pages.router,
    webhook_pages.router,
    webhook_deed_pages.router,
    delivery_pages.router,
)
