"""Client of the customer-support service. README.md shows the first call."""

from support_engine.api_error import ApiError
from support_engine.client import SupportEngine
from support_engine.paging import each, pages
from support_engine.webhooks import WebhookEvent, WebhookInvalid, verify_webhook

__all__ = [
    "ApiError",
    "SupportEngine",
    "WebhookEvent",
    "WebhookInvalid",
    "each",
    "pages",
    "verify_webhook",
]
