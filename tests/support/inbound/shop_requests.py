"""Signed requests from shops and payment providers."""

import base64
import hmac
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import sha256
from typing import Final

from domain.inbound.inbound_request import InboundRequest

NOW: Final = datetime(2026, 3, 2, 10, tzinfo=UTC)
SHOPIFY_SECRET: Final = "shpss_canary_0a1b2c3d4e5f"
STRIPE_SECRET: Final = "whsec_canary0a1b2c3d4e5f"
WOO_SECRET: Final = "canary woo secret"
STANDARD_SECRET: Final = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


def a_request(body: bytes, headers: Mapping[str, str]) -> InboundRequest:
    return InboundRequest({name.lower(): value for name, value in headers.items()}, body)


def shopify_request(
    topic: str, body: object, *, event_id: str = "e-1", secret: str = SHOPIFY_SECRET
) -> InboundRequest:
    raw = json.dumps(body).encode()
    headers = {
        "X-Shopify-Topic": topic,
        "X-Shopify-Hmac-Sha256": signed_base64(secret, raw),
        "X-Shopify-Event-Id": event_id,
        "X-Shopify-Webhook-Id": "w-1",
        "X-Shopify-Shop-Domain": "acme.myshopify.com",
        "X-Shopify-Triggered-At": "2026-03-02T09:59:00.123456789Z",
    }
    return a_request(raw, headers)


def stripe_request(
    kind: str, thing: Mapping[str, object], *, at: datetime = NOW, secret: str = STRIPE_SECRET
) -> InboundRequest:
    event = {
        "id": "evt_1",
        "object": "event",
        "api_version": "2024-06-20",
        "created": int(NOW.timestamp()),
        "livemode": True,
        "type": kind,
        "data": {"object": thing},
    }
    raw = json.dumps(event).encode()
    stamp = str(int(at.timestamp()))
    signature = hmac.new(secret.encode(), f"{stamp}.".encode() + raw, sha256).hexdigest()
    return a_request(raw, {"Stripe-Signature": f"t={stamp},v1={signature}"})


def woocommerce_request(
    topic: str, body: object, *, delivery: str = "d-1", secret: str = WOO_SECRET
) -> InboundRequest:
    raw = json.dumps(body).encode()
    headers = {
        "X-WC-Webhook-Topic": topic,
        "X-WC-Webhook-Signature": signed_base64(secret, raw),
        "X-WC-Webhook-Delivery-ID": delivery,
    }
    return a_request(raw, headers)


def standard_request(
    body: object, *, name: str = "msg_1", at: datetime = NOW, secret: str = STANDARD_SECRET
) -> InboundRequest:
    raw = json.dumps(body).encode()
    stamp = str(int(at.timestamp()))
    key = base64.b64decode(secret.removeprefix("whsec_"))
    digest = hmac.new(key, f"{name}.{stamp}.".encode() + raw, sha256).digest()
    headers = {
        "webhook-id": name,
        "webhook-timestamp": stamp,
        "webhook-signature": f"v1,{base64.b64encode(digest).decode()}",
    }
    return a_request(raw, headers)


def signed_base64(secret: str, raw: bytes) -> str:
    return base64.b64encode(hmac.new(secret.encode(), raw, sha256).digest()).decode()
