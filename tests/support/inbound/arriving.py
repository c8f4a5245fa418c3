"""Platforms that send signed webhooks to an inbound address over HTTP."""

import base64
import hashlib
import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

import httpx

from adapters.system import new_ulid, utc_now
from domain.core.ids import TenantId
from domain.integrations.providers import Provider
from store.inbound.tables import inbound_webhooks
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import rows
from tests.support.inbound.addresses import PLATFORM_SECRET, opened
from tests.support.inbound.stored import listen_to
from tests.support.tenants.shop import Shop

SHOPIFY_NAME: Final = "acme.myshopify.com"
ORDER: Final = {"id": 820982911946154508, "name": "#9999", "email": "jon@example.com"}


def order_of(shop: str, **changed: object) -> dict[str, object]:
    """Return an order whose page is at the shop's own domain, as Shopify writes it."""
    page = f"https://{shop}/548380009/orders/b1946ac9/authenticate?key=0a1b"
    return {**ORDER, "order_status_url": page, **changed}


@dataclass(frozen=True)
class Address:
    """An inbound address. `secret` is the platform's signing secret."""

    integration_id: str
    provider: Provider
    path: str
    secret: str

    @property
    def token(self) -> str:
        return self.path.rpartition("/")[2]


async def listening(
    front: LiveEngine, shop: Shop, headers: dict[str, str], provider: Provider = Provider.SHOPIFY
) -> Address:
    """Open an inbound address. `headers` are the headers of the shop's owner."""
    tenant = TenantId(shop.client_id)
    async with front.database.tenant(tenant) as connection:
        integration_id = await listen_to(connection, tenant, provider)
    given = {"secret": PLATFORM_SECRET} if provider in (Provider.SHOPIFY, Provider.STRIPE) else {}
    told = await opened(front, headers, integration_id, given)
    path = urlsplit(told["url"]).path
    return Address(integration_id, provider, path, told["secret"] or PLATFORM_SECRET)


def by_shopify(
    body: Mapping[str, object] | bytes = ORDER,
    *,
    secret: str = PLATFORM_SECRET,
    topic: str = "orders/updated",
    event_id: str | None = None,
    shop: str = SHOPIFY_NAME,
) -> dict[str, Any]:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    digest = hmac.new(secret.encode(), content, hashlib.sha256).digest()
    return {
        "content": content,
        "headers": {
            "content-type": "application/json",
            "x-shopify-topic": topic,
            "x-shopify-event-id": event_id or new_ulid(),
            "x-shopify-shop-domain": shop,
            "x-shopify-hmac-sha256": base64.b64encode(digest).decode(),
        },
    }


def by_standard(
    body: Mapping[str, object] | bytes, *, secret: str, name: str | None = None, at: float = 0
) -> dict[str, Any]:
    """Return a request signed as in Standard Webhooks. `at`: seconds from now."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    stamp, name = str(int(utc_now().timestamp() + at)), name or new_ulid()
    key = base64.b64decode(secret.removeprefix("whsec_"))
    digest = hmac.new(key, f"{name}.{stamp}.".encode() + content, hashlib.sha256).digest()
    return {
        "content": content,
        "headers": {
            "content-type": "application/json",
            "webhook-id": name,
            "webhook-timestamp": stamp,
            "webhook-signature": f"v1,{base64.b64encode(digest).decode()}",
        },
    }


def by_woocommerce(
    body: Mapping[str, object], *, secret: str, delivery: str, topic: str = "order.updated"
) -> dict[str, Any]:
    content = json.dumps(body).encode()
    digest = hmac.new(secret.encode(), content, hashlib.sha256).digest()
    return {
        "content": content,
        "headers": {
            "content-type": "application/json",
            "x-wc-webhook-topic": topic,
            "x-wc-webhook-delivery-id": delivery,
            "x-wc-webhook-signature": base64.b64encode(digest).decode(),
        },
    }


def by_stripe(body: Mapping[str, object], *, secret: str) -> dict[str, Any]:
    content = json.dumps(body).encode()
    stamp = str(int(utc_now().timestamp()))
    signed = hmac.new(secret.encode(), f"{stamp}.".encode() + content, hashlib.sha256)
    header = f"t={stamp},v1={signed.hexdigest()}"
    return {
        "content": content,
        "headers": {"content-type": "application/json", "stripe-signature": header},
    }


async def taken(front: LiveEngine, shop: Shop) -> list[dict[str, Any]]:
    """Return the client's webhooks in order of arrival."""
    found = await rows(front.database, inbound_webhooks, client_id=shop.client_id)
    return sorted(found, key=lambda row: str(row["id"]))


def status_of(answer: httpx.Response) -> tuple[int, str]:
    """Return the status and the error code, or the body of an accepted request."""
    told = answer.json()
    return answer.status_code, "received" if told == {"received": True} else told["code"]
