"""WooCommerce's webhooks about orders."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Final

from pydantic import AfterValidator, BaseModel, Field

from domain.inbound.author_proof import AuthorProof
from domain.inbound.body import MAX_JSON, shaped
from domain.inbound.errors import WebhookUnreadable
from domain.inbound.inbound_request import InboundRequest
from domain.inbound.inbound_webhook import Identity, WebhookKind
from domain.inbound.meaning import Meaning, OrderNews
from domain.inbound.order_values import (
    Amount,
    Currency,
    money_back,
    order_email,
    order_items,
    order_money,
    order_number,
)
from domain.inbound.ports import EndpointFacts
from domain.inbound.webhook_signature import hmac_sha256_base64, require_match, signature_header
from domain.integrations.order_fact import OrderFact
from domain.integrations.providers import Provider
from domain.integrations.woocommerce_status import TRASH, state_in

_SIGNATURE: Final = "x-wc-webhook-signature"
_DELIVERY: Final = "x-wc-webhook-delivery-id"
_TOPIC: Final = re.compile(r"[a-z_]+\.[A-Za-z0-9_.-]{1,200}")
_MAX_ID: Final = 100
_PING: Final = re.compile(rb"webhook_id=[0-9]{1,20}")
_DELETED: Final = "order.deleted"
_FAILED: Final = "failed"
# HTML entities that WordPress decodes in the secret before signing (wp_specialchars_decode with
# both kinds of quotes).
_ESCAPED: Final = re.compile(
    r"&(?:(lt|gt|quot|amp)|#0*(60|62|34|39|38)|#[xX]0*(3[cC]|3[eE]|22|27|26));"
)
_NAMED: Final = {"lt": "<", "gt": ">", "quot": '"', "amp": "&"}


def _in_utc(time: datetime) -> datetime:
    return time.replace(tzinfo=UTC) if time.tzinfo is None else time


_Gmt = Annotated[datetime, AfterValidator(_in_utc)]
_Id = Annotated[int, Field(gt=0, lt=10**20)]


class _Billing(BaseModel):
    email: str | None = None


class _Item(BaseModel):
    name: str = ""
    quantity: int = 1


class _Refund(BaseModel):
    """A refund of an order. `total` is the refunded amount, which is negative."""

    total: Amount = "0"


class _Order(BaseModel):
    id: _Id
    number: str
    status: str
    currency: Currency
    total: Amount
    created: _Gmt | None = Field(default=None, alias="date_created_gmt")
    modified: _Gmt = Field(alias="date_modified_gmt")
    billing: _Billing = _Billing()
    line_items: tuple[_Item, ...] = ()
    refunds: tuple[_Refund, ...] = ()

    def fact(self) -> OrderFact:
        """Return the order's facts, without the customer's note, which is not treated as a
        message."""
        return OrderFact(
            order_id=str(self.id),
            version=self.modified,
            number=order_number(self.number),
            customer_email=order_email(self.billing.email),
            state=state_in(self.status),
            total=order_money(self.total, self.currency),
            refunded=money_back((one.total for one in self.refunds), self.currency),
            placed_at=self.created,
            items=order_items((item.quantity, item.name) for item in self.line_items),
            is_payment_failed=self.status == _FAILED,
            is_deleted=self.status == TRASH,
        )


class _Deleted(BaseModel):
    """The body of a deletion, which contains only the order's id. The topic is not signed, so a
    whole order must not pass as a deletion."""

    id: _Id
    total: None = None
    line_items: None = None


class WooCommerceWebhooks:
    provider = Provider.WOOCOMMERCE
    topics: Mapping[str, WebhookKind] = dict.fromkeys(
        ("order.created", "order.updated", "order.restored", _DELETED), WebhookKind.FACT
    )
    max_body = MAX_JSON
    refusal_status = 401
    needs_secret = False
    signs = True
    is_limited = False
    author_proof = AuthorProof.NOTHING

    def is_ping(self, request: InboundRequest) -> bool:
        """Return True if the request is the unsigned form that WooCommerce sends when a webhook is
        activated."""
        return _SIGNATURE not in request.headers and bool(_PING.fullmatch(request.body.strip()))

    def verify(self, request: InboundRequest, secrets: tuple[str, ...], now: datetime) -> None:  # noqa: ARG002
        """Verify the signature. WooCommerce does not sign a timestamp, so a replay is recognized by
        its id and its body."""
        given = signature_header(request, _SIGNATURE)
        expected = [hmac_sha256_base64(unescaped(one), request.body) for one in secrets]
        require_match(expected, given)

    def identify(self, request: InboundRequest) -> Identity:
        """Return the identity of a delivery. The key includes the digest of the body because
        updates to two orders in the same second have the same delivery id."""
        topic = request.headers.get("x-wc-webhook-topic", "").strip()
        delivery = request.headers.get(_DELIVERY, "").strip()
        if not _TOPIC.fullmatch(topic):
            raise WebhookUnreadable("no_topic")
        if not delivery or len(delivery) > _MAX_ID:
            raise WebhookUnreadable("no_delivery_id")
        return Identity(dedup_key=f"{delivery}:{request.digest.hex()}", topic=topic)

    def read(self, request: InboundRequest, identity: Identity, facts: EndpointFacts) -> Meaning:
        if identity.topic != _DELETED:
            return OrderNews((shaped(_Order, request.body).fact(),))
        if facts.received_at is None:
            raise WebhookUnreadable("no_time")
        order = shaped(_Deleted, request.body)
        return OrderNews(
            (OrderFact(order_id=str(order.id), version=facts.received_at, is_deleted=True),)
        )


def unescaped(secret: str) -> str:
    """Return the secret with HTML entities decoded, which is the form that WordPress uses for
    signing."""
    return _ESCAPED.sub(_character, secret)


def _character(found: "re.Match[str]") -> str:
    name, decimal, hexadecimal = found.groups()
    if name:
        return _NAMED[name]
    return chr(int(decimal)) if decimal else chr(int(hexadecimal, 16))
