"""Client of the customer-support service.

    from support_engine import SupportEngine
    from support_engine.models import GatewayRequest

    engine = SupportEngine("https://support.example", "ak_…")
    answer = engine.gateway.push(body=GatewayRequest(client_id="01J9…", message="Où est mon colis ?"))
    print(answer.status)
"""

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
