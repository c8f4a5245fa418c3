"""Dashboard pages for webhooks: URLs, deliveries, and help for developers of webhook endpoints."""

from typing import Final

from api.dashboard.routers.webhooks import (
    delivery_pages,
    webhook_action_pages,
    webhook_help_pages,
    webhook_pages,
)

# The route of the event catalogue precedes the routes of a single webhook. Otherwise, their id
# parameter would match the catalogue's path.
ROUTERS: Final = (
    webhook_help_pages.router,
    webhook_pages.router,
    webhook_action_pages.router,
    delivery_pages.router,
)
