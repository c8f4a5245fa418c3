"""Shopify's webhooks: orders, and the compliance requests that its privacy rules require."""

import re
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from typing import Final

from pydantic import AwareDatetime, TypeAdapter, ValidationError

from domain.inbound.author_proof import AuthorProof
from domain.inbound.body import MAX_JSON, json_object, shaped
from domain.inbound.errors import WebhookUnreadable
from domain.inbound.inbound_request import InboundRequest
from domain.inbound.inbound_webhook import Identity, WebhookKind
from domain.inbound.meaning import ComplianceKind, ComplianceRequest, Meaning, Nothing, OrderNews
from domain.inbound.order_values import order_email
from domain.inbound.platforms.shopify_bodies import (
    ORDER_GID,
    DeletedBody,
    FulfillmentBody,
    OrderBody,
    PrivacyBody,
    ShopBody,
)
from domain.inbound.ports import EndpointFacts
from domain.inbound.webhook_signature import hmac_sha256_base64, require_match, signature_header
from domain.integrations.order_fact import OrderFact
from domain.integrations.providers import Provider

# Signature header names: for Shopify's webhooks, and for Shopify's newer events, which replace
# webhooks.
_SIGNATURES: Final = ("x-shopify-hmac-sha256", "shopify-hmac-sha256")
_TRIGGERED_AT: Final = "x-shopify-triggered-at"
_TOPIC: Final = re.compile("[a-z_]+(?:/[a-z_]+)*")
_MAX_NAME: Final = 200
_TIME: Final[TypeAdapter[datetime]] = TypeAdapter(AwareDatetime)

_ORDER_TOPICS: Final = (
    "orders/create",
    "orders/updated",
    "orders/paid",
    "orders/fulfilled",
    "orders/partially_fulfilled",
    "orders/cancelled",
)
_DELETED: Final = "orders/delete"
_PARCELS: Final = ("fulfillments/create", "fulfillments/update")
# These topics are not read, because Shopify sends the same data at the same time under
# `orders/updated`.
_PARTS: Final = ("orders/edited", "refunds/create")
_COMPLIANCE_TOPICS: Final = {
    "customers/redact": ComplianceKind.REDACT_CUSTOMER,
    "customers/data_request": ComplianceKind.CUSTOMER_DATA,
    "shop/redact": ComplianceKind.REDACT_SHOP,
    "app/uninstalled": ComplianceKind.DISCONNECT,
}
_OF_CUSTOMER: Final = frozenset({"customer", "orders_to_redact", "orders_requested"})
# For each compliance request, fields that never occur in its body. The topic header is not signed,
# so a request with such a field may have a forged topic.
_NEVER: Final = {
    ComplianceKind.REDACT_CUSTOMER: frozenset({"orders_requested", "data_request"}),
    ComplianceKind.CUSTOMER_DATA: frozenset({"orders_to_redact"}),
    ComplianceKind.REDACT_SHOP: _OF_CUSTOMER | {"data_request", "myshopify_domain"},
    ComplianceKind.DISCONNECT: _OF_CUSTOMER | {"shop_domain"},
}


class ShopifyWebhooks:
    provider = Provider.SHOPIFY
    topics: Mapping[str, WebhookKind] = {
        **dict.fromkeys((*_ORDER_TOPICS, _DELETED, *_PARCELS, *_PARTS), WebhookKind.FACT),
        **dict.fromkeys(_COMPLIANCE_TOPICS, WebhookKind.DUTY),
    }
    max_body = MAX_JSON
    refusal_status = 401
    needs_secret = True
    signs = True
    is_limited = False
    author_proof = AuthorProof.NOTHING

    def is_ping(self, request: InboundRequest) -> bool:  # noqa: ARG002 - the protocol requires it
        return False

    def verify(self, request: InboundRequest, secrets: tuple[str, ...], now: datetime) -> None:  # noqa: ARG002
        """Verify the signature. Shopify does not sign a timestamp, so a replay is recognized by its
        id, or by its body at the installation's URL (`domain/inbound/app_level.py`)."""
        header = next((one for one in _SIGNATURES if one in request.headers), _SIGNATURES[0])
        given = signature_header(request, header)
        require_match([hmac_sha256_base64(secret, request.body) for secret in secrets], given)

    def identify(self, request: InboundRequest) -> Identity:
        """Return the identity of a delivery. Raises WebhookUnreadable.

        Subscriptions to the same topic share an event id, so the key includes the subscription's
        name.
        """
        headers = request.headers
        if "x-shopify-topic" in headers:
            topic = headers["x-shopify-topic"].strip().lower()
            sent = headers.get("x-shopify-event-id") or headers.get("x-shopify-webhook-id")
            name = headers.get("x-shopify-name", "")
        else:
            parts = (headers.get("shopify-topic", ""), headers.get("shopify-action", ""))
            topic = "/".join(part.strip().lower() for part in parts if part.strip())
            sent = headers.get("shopify-event-id")
            name = headers.get("shopify-handle", "")
        if len(topic) > _MAX_NAME or not _TOPIC.fullmatch(topic):
            raise WebhookUnreadable("no_topic")
        # Both ids are unsigned. A request without an id is identified by the digest of its body.
        sent = sent or request.digest.hex()
        if len(sent) > _MAX_NAME or len(name) > _MAX_NAME:
            raise WebhookUnreadable("no_delivery_id")
        return Identity(dedup_key=f"{topic}:{name}:{sent}", topic=topic)

    def read(self, request: InboundRequest, identity: Identity, facts: EndpointFacts) -> Meaning:
        topic, body = identity.topic, request.body
        if topic in _COMPLIANCE_TOPICS:
            return _compliance_request(_COMPLIANCE_TOPICS[topic], body, facts)
        if topic in _PARTS:
            return Nothing("told_by_orders_updated")
        if topic in _PARCELS:
            return OrderNews((shaped(FulfillmentBody, body).fact(),))
        if topic == _DELETED:
            return OrderNews((_deleted(request, facts),))
        return OrderNews((shaped(OrderBody, body).fact(),))


def _compliance_request(
    kind: ComplianceKind, body: bytes, facts: EndpointFacts
) -> ComplianceRequest:
    """Parse a compliance request. Raises WebhookUnreadable if it is for another shop or of another
    kind.

    An app signs for all its shops with one secret, so the body's shop must be checked.
    """
    shop = shaped(ShopBody, body).domain
    mine = facts.settings.get("shop")
    if shop is None or (mine is not None and shop.lower() != mine):
        raise WebhookUnreadable("another_shop")
    if not _NEVER[kind].isdisjoint(json_object(body)):
        raise WebhookUnreadable("another_duty")
    if kind in (ComplianceKind.REDACT_SHOP, ComplianceKind.DISCONNECT):
        return ComplianceRequest(kind)
    asked = shaped(PrivacyBody, body)
    return ComplianceRequest(
        kind,
        customer_email=order_email(asked.customer.email if asked.customer else None),
        order_ids=tuple(f"{ORDER_GID}{number}" for number in asked.order_ids),
    )


def _deleted(request: InboundRequest, facts: EndpointFacts) -> OrderFact:
    """Parse an order deletion, which contains only the order's id.

    The time is in an unsigned header. A forged time changes only the order of the facts, not which
    order is deleted.
    """
    order = shaped(DeletedBody, request.body)
    at = facts.received_at
    with suppress(ValidationError):
        at = _TIME.validate_python(request.headers.get(_TRIGGERED_AT))
    if at is None:
        raise WebhookUnreadable("no_time")
    return OrderFact(order_id=f"{ORDER_GID}{order.id}", version=at, is_deleted=True)
