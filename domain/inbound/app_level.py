"""Find the account for a webhook of the installation's own Shopify or Stripe app, and its identity.

Each app has one URL and one secret for all clients, so only the signed body counts
(docs/decisions/0126). Shopify's headers are unsigned: anyone with one signed body could otherwise
send it to any shop, as any number of deliveries.
"""

from datetime import datetime
from typing import Final
from urllib.parse import urlsplit

from pydantic import JsonValue

from domain.inbound.body import json_object
from domain.inbound.errors import InboundRefused, RefusalReason, WebhookUnreadable
from domain.inbound.inbound_request import InboundRequest
from domain.inbound.inbound_webhook import Identity, WebhookKind
from domain.integrations.providers import Provider

_SHOP_HEADERS: Final = ("x-shopify-shop-domain", "shopify-shop-domain")
# Fields of a Shopify webhook body that may identify the shop.
_SHOP_FIELDS: Final = ("shop_domain", "myshopify_domain")
# The page on which the customer sees the order. Its host is the shop's primary domain.
_ORDER_PAGE: Final = "order_status_url"
_MAX_ACCOUNT: Final = 255


def account_of(provider: Provider, request: InboundRequest) -> str | None:
    """Return the platform's identifier for the account that the signed body of a verified request
    names, or None if the body names none.

    Raises InboundRefused if the body is not a JSON object, or names another shop than the header.
    """
    fields = _fields(request.body)
    if provider is Provider.STRIPE:
        return _account(fields.get("account"))
    shop = next((request.headers[name] for name in _SHOP_HEADERS if name in request.headers), None)
    named = [fields[field] for field in _SHOP_FIELDS if field in fields]
    if any(one != shop for one in named):
        raise InboundRefused(RefusalReason.SIGNATURE_WRONG)
    return _account(shop) if named or _is_order_of(shop, fields) else None


def signed_identity(
    provider: Provider,
    identity: Identity,
    request: InboundRequest,
    *,
    kind: WebhookKind,
    now: datetime,
) -> Identity:
    """Return the identity of a delivery to the installation's URL, from the signed bytes only.

    A body counts once for each topic that has an effect. Shopify sends the same compliance request
    again if the reason recurs, so such a body counts once a day.
    """
    if provider is not Provider.SHOPIFY:
        return identity
    topic = "" if kind is WebhookKind.IGNORED else identity.topic
    day = f"/{now:%Y-%m-%d}" if kind is WebhookKind.DUTY else ""
    return Identity(dedup_key=f"body/{request.digest.hex()}/{topic}{day}", topic=identity.topic)


def _is_order_of(shop: str | None, fields: dict[str, JsonValue]) -> bool:
    """Return True if the body is an order whose page is at the shop's own domain."""
    page = fields.get(_ORDER_PAGE)
    try:
        return isinstance(page, str) and shop is not None and urlsplit(page).hostname == shop
    except ValueError:  # The host is malformed.
        return False


def _account(named: object) -> str | None:
    return named if isinstance(named, str) and 0 < len(named) <= _MAX_ACCOUNT else None


def _fields(body: bytes) -> dict[str, JsonValue]:
    """Return the fields of a body. Shopify signs other texts with the same secret, such as the
    parameters of a link. No such text begins with a brace. Raises InboundRefused."""
    try:
        if body.startswith(b"{"):
            return json_object(body)
    except WebhookUnreadable:
        pass
    raise InboundRefused(RefusalReason.UNREADABLE)
