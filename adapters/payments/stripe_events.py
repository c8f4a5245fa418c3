"""Verify Stripe events, and convert them to payment events."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Annotated, Final

from pydantic import AliasPath, BaseModel, Field, ValidationError

from domain.billing.errors import InvalidPaymentSignature
from domain.billing.payment import PaymentEvent, PaymentKind
from domain.core.errors import InvalidBody
from domain.core.ids import parse_ulid
from domain.core.money import MAX_MINOR, Money
from domain.core.stripe_signature import StripeSignature

TOLERANCE: Final = timedelta(minutes=5)
_RENEWAL: Final = "subscription_cycle"
_KINDS: Final[Mapping[str, PaymentKind]] = {
    "checkout.session.completed": PaymentKind.PENDING,
    "checkout.session.async_payment_succeeded": PaymentKind.PAID,
    "checkout.session.async_payment_failed": PaymentKind.FAILED,
    "checkout.session.expired": PaymentKind.FAILED,
    "invoice.paid": PaymentKind.RENEWED,
    "customer.subscription.deleted": PaymentKind.ENDED,
    "charge.refunded": PaymentKind.RETURNED,
    "charge.dispute.created": PaymentKind.RETURNED,
}


def signed_lately(header: str, now: datetime) -> StripeSignature:
    """Return the parsed Stripe-Signature header, before the body is read. Raises
    InvalidPaymentSignature if it is missing or malformed, or differs from `now` by more than
    TOLERANCE."""
    signature = StripeSignature.parse(header)
    if signature is None or abs(signature.age_s(now)) > TOLERANCE.total_seconds():
        raise InvalidPaymentSignature
    return signature


def verify(body: bytes, header: str, secret: str, now: datetime) -> None:
    """Verify that Stripe signed this body recently. Raises InvalidPaymentSignature if it did
    not."""
    if not signed_lately(header, now).fits(body, (secret,)):
        raise InvalidPaymentSignature


_Minor = Annotated[int, Field(ge=0, le=MAX_MINOR)]
_Id = Annotated[str, Field(pattern="^[A-Za-z0-9_]{1,255}$")]
_Metadata = dict[str, str] | None


class _Object(BaseModel):
    """The fields that are used from a session, an invoice, a subscription, a charge or a
    dispute."""

    id: _Id
    metadata: _Metadata = None
    of_subscription: _Metadata = Field(
        default=None, validation_alias=AliasPath("subscription_details", "metadata")
    )
    # The field's path in an invoice since the 2025 API versions.
    of_parent: _Metadata = Field(
        default=None, validation_alias=AliasPath("parent", "subscription_details", "metadata")
    )
    subscription: _Id | None = None
    parent_subscription: _Id | None = Field(
        default=None, validation_alias=AliasPath("parent", "subscription_details", "subscription")
    )
    customer: _Id | None = None
    payment_status: str | None = None
    billing_reason: str | None = None
    cancel_at_period_end: bool = False
    currency: str | None = Field(default=None, pattern="^[a-z]{3}$")
    amount_total: _Minor | None = None
    amount_paid: _Minor | None = None
    amount_refunded: _Minor | None = None
    amount: _Minor | None = None

    @property
    def money(self) -> Money | None:
        amounts = (self.amount_total, self.amount_paid, self.amount_refunded, self.amount)
        amount = next((one for one in amounts if one is not None), None)
        if amount is None or self.currency is None:
            return None
        return Money(minor=amount, currency=self.currency.upper())


class _Event(BaseModel):
    id: _Id
    type: str
    created: int = Field(ge=0, le=10**11, description="Unix seconds.")
    thing: _Object = Field(validation_alias=AliasPath("data", "object"))


def read_event(body: bytes) -> PaymentEvent | None:
    """Return a verified event as a PaymentEvent, or None if its type is not used here. Raises
    InvalidBody if the event has an unexpected format."""
    try:
        kind = _KINDS.get(_Named.model_validate_json(body).type)
        if kind is None:
            return None
        event = _Event.model_validate_json(body)
    except ValidationError:
        raise InvalidBody("événement inconnu") from None
    thing = event.thing
    if kind is PaymentKind.PENDING and thing.payment_status != "unpaid":
        kind = PaymentKind.PAID
    if kind is PaymentKind.RENEWED and thing.billing_reason != _RENEWAL:
        return None  # The checkout session already reports the first invoice's payment.
    named = thing.metadata or thing.of_subscription or thing.of_parent or {}
    ended = kind is PaymentKind.ENDED
    return PaymentEvent(
        id=event.id,
        type=event.type,
        kind=kind,
        created_at=datetime.fromtimestamp(event.created, UTC),
        checkout_id=_ulid(named.get("checkout_id")),
        client_id=named.get("client_id"),
        session_id=thing.id if event.type.startswith("checkout.session.") else None,
        subscription_id=thing.id if ended else thing.subscription or thing.parent_subscription,
        customer_id=thing.customer,
        amount=thing.money,
        at_period_end=thing.cancel_at_period_end,
    )


def _ulid(text: str | None) -> str | None:
    """Return the id unchanged if it is a ULID in canonical form, otherwise None."""
    return text if text is not None and parse_ulid(text) == text else None


class _Named(BaseModel):
    type: str
