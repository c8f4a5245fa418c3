"""Find the account for a webhook of the installation's own Shopify or Stripe app. Each app has one
URL for all clients, so the request itself must identify the account."""

from typing import Final

from pydantic import JsonValue

from domain.inbound.body import json_object
from domain.inbound.errors import InboundRefused, RefusalReason, WebhookUnreadable
from domain.inbound.inbound_request import InboundRequest
from domain.integrations.providers import Provider

_SHOP_HEADERS: Final = ("x-shopify-shop-domain", "shopify-shop-domain")
# Fields of a Shopify webhook body that may identify the shop.
_SHOP_FIELDS: Final = ("shop_domain", "myshopify_domain")
_MAX_ACCOUNT: Final = 255


def account_of(provider: Provider, request: InboundRequest) -> str | None:
    """Return the platform's identifier for the account in a verified request, or None without a
    usable account.

    Shopify names the shop in an unsigned header. Raises InboundRefused if the signed body names
    another.
    """
    fields = _fields(request.body)
    if provider is Provider.STRIPE:
        return _account(fields.get("account"))
    shop = next((request.headers[name] for name in _SHOP_HEADERS if name in request.headers), None)
    for field in _SHOP_FIELDS:
        if field in fields and fields[field] != shop:
            raise InboundRefused(RefusalReason.SIGNATURE_WRONG)
    return _account(shop)


def _account(named: object) -> str | None:
    return named if isinstance(named, str) and 0 < len(named) <= _MAX_ACCOUNT else None


def _fields(body: bytes) -> dict[str, JsonValue]:
    try:
        return json_object(body)
    except WebhookUnreadable:
        return {}
