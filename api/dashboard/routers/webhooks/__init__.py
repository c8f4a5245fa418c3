"""Dashboard pages for webhooks: URLs, deliveries, and help for developers of webhook endpoints."""

from typing import Final

from api.dashboard.routers.webhooks import (
    delivery_pages,
    webhook_action_pages,
    webhook_help_pages,
    webhook_pages,
)

# The event catalogue precedes the pages for one webhook. Otherwise the catalogue's path would match
# their path parameter for the webhook id.
ROUTERS: Final = (
    webhook_help_pages.router,
    webhook_pages.router,
    webhook_action_pages.router,
    delivery_pages.router,
)
