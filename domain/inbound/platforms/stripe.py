"""Stripe's webhooks for a merchant's account: refunds, disputes and failed payments."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Final

from pydantic import AliasPath, BaseModel, Field

from domain.core.errors import InvalidInput
from domain.core.money import MAX_MINOR, Money
from domain.core.stripe_signature import StripeSignature
from domain.inbound.author_proof import AuthorProof
from domain.inbound.body import MAX_JSON, shaped
from domain.inbound.errors import InboundRefused, RefusalReason, WebhookUnreadable
from domain.inbound.inbound_request import InboundRequest
from domain.inbound.inbound_webhook import Identity, WebhookKind
from domain.inbound.meaning import Meaning, Nothing, OrderNews
from domain.inbound.order_values import order_email, order_number
from domain.inbound.ports import EndpointFacts
from domain.inbound.webhook_signature import check_age, signature_header
from domain.integrations.order_fact import OrderFact
from domain.integrations.providers import Provider
from domain.integrations.stripe_payment import money_of, number_in

_THIN: Final = "v2.core.event"
_REFUNDED: Final = "charge.refunded"
# Each of these events reports a single refund, so its amount is only a lower bound of the refunded
# total. `charge.refunded` reports the total.
_REFUNDS: Final = ("refund.created", "refund.updated", "refund.failed")
_DISPUTES: Final = (
    "charge.dispute.created",
    "charge.dispute.updated",
    "charge.dispute.closed",
    "charge.dispute.funds_withdrawn",
    "charge.dispute.funds_reinstated",
)
_NOT_PAID: Final = ("payment_intent.payment_failed", "invoice.payment_failed")
_PAID: Final = ("payment_intent.succeeded", "invoice.paid")
_ENDED_WELL: Final = frozenset({"won", "warning_closed", "prevented"})
_MOVED: Final = "succeeded"

_Id = Annotated[str, Field(pattern="^[A-Za-z0-9_]{1,255}$")]
_Units = Annotated[int, Field(ge=0, le=MAX_MINOR)]


class _Name(BaseModel):
    """The fields that identify an event, in Stripe's full and thin events."""

    id: _Id
    type: Annotated[str, Field(pattern=r"^[a-z0-9_.]{1,200}$")]
    of: str = Field(default="event", alias="object", max_length=100)


class _Thing(BaseModel):
    """The fields read from a charge, a refund, a dispute, a payment or an invoice."""

    id: _Id
    payment_intent: _Id | None = None
    charge: _Id | None = None
    metadata: dict[str, str] | None = None
    created: int = Field(ge=0, le=10**11, description="Creation time, in Unix seconds.")
    currency: str | None = Field(default=None, pattern="^[a-z]{3}$")
    amount: _Units | None = None
    amount_due: _Units | None = None
    amount_refunded: _Units | None = None
    status: str | None = None
    receipt_email: str | None = None
    customer_email: str | None = None
    billing_email: str | None = Field(
        default=None, validation_alias=AliasPath("billing_details", "email")
    )

    @property
    def order_id(self) -> str:
        """The payment's id, which the Stripe connector uses as the order's id. For an old charge
        without a payment, it is the charge's own id."""
        return self.payment_intent or self.charge or self.id

    def money(self, units: int | None) -> Money | None:
        if units is None or self.currency is None:
            return None
        try:
            return money_of(units, self.currency)
        except InvalidInput:
            raise WebhookUnreadable("amount") from None


class _Event(BaseModel):
    account: _Id | None = None
    created: int = Field(ge=0, le=10**11, description="Creation time, in Unix seconds.")
    thing: _Thing = Field(validation_alias=AliasPath("data", "object"))


class StripeWebhooks:
    provider = Provider.STRIPE
    topics: Mapping[str, WebhookKind] = dict.fromkeys(
        (_REFUNDED, *_REFUNDS, *_DISPUTES, *_NOT_PAID, *_PAID), WebhookKind.FACT
    )
    max_body = MAX_JSON
    refusal_status = 400
    needs_secret = True
    signs = True
    is_limited = False
    author_proof = AuthorProof.NOTHING

    def is_ping(self, request: InboundRequest) -> bool:  # noqa: ARG002 - the protocol requires it
        return False

    def verify(self, request: InboundRequest, secrets: tuple[str, ...], now: datetime) -> None:
        """Verify the signature. As in Stripe's own library, old timestamps are rejected and future
        ones are accepted."""
        signature = StripeSignature.parse(signature_header(request, "stripe-signature"))
        if signature is None:
            raise InboundRefused(RefusalReason.TIMESTAMP_MISSING)
        check_age(int(signature.signed_at), now)
        if not signature.fits(request.body, secrets):
            raise InboundRefused(RefusalReason.SIGNATURE_WRONG)

    def identify(self, request: InboundRequest) -> Identity:
        """Return the identity of an event. A thin event contains no facts, so it gets a topic that
        is ignored."""
        name = shaped(_Name, request.body)
        topic = f"{_THIN}/{name.type}" if name.of == _THIN else name.type
        return Identity(dedup_key=name.id, topic=topic)

    def read(self, request: InboundRequest, identity: Identity, facts: EndpointFacts) -> Meaning:
        event = shaped(_Event, request.body)
        mine = facts.settings.get("account")
        if event.account is not None and mine is not None and event.account != mine:
            raise WebhookUnreadable("another_account")
        topic, thing = identity.topic, event.thing
        said: dict[str, object]
        if topic in _REFUNDS:
            if thing.status != _MOVED:
                return Nothing("refund_not_moved")
            said = {"refunded": thing.money(thing.amount)}
        elif topic in _DISPUTES:
            said = {"is_disputed": thing.status not in _ENDED_WELL}
        elif topic == _REFUNDED:
            said = {
                "total": thing.money(thing.amount),
                "refunded": thing.money(thing.amount_refunded),
                "placed_at": _time(thing.created),
            }
        else:
            units = thing.amount if thing.amount is not None else thing.amount_due
            said = {
                "total": thing.money(units),
                "is_payment_failed": topic in _NOT_PAID,
                "placed_at": _time(thing.created),
            }
        return OrderNews((_fact(event, said),))


def _fact(event: _Event, said: Mapping[str, object]) -> OrderFact:
    thing = event.thing
    return OrderFact.model_validate(
        {
            "order_id": thing.order_id,
            "version": _time(event.created),
            "number": order_number(number_in(thing.metadata or {})),
            "customer_email": order_email(
                thing.billing_email, thing.receipt_email, thing.customer_email
            ),
            **said,
        }
    )


def _time(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
