"""The order: what a merchant's shop says of it, the same shape for every shop."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Self

from pydantic import BaseModel, ConfigDict

from domain.core.money import Money
from domain.intake.customer_email import customer_key, spells_its_key
from domain.integrations.providers import Provider


class OrderState(StrEnum):
    """How far an order has come. `unknown`: who holds only its payment cannot tell."""

    OPEN = "open"
    SHIPPED = "shipped"
    DELIVERED = "delivered"
    CANCELLED = "cancelled"
    UNKNOWN = "unknown"


def state_of(*, cancelled: bool, shipped: bool, delivered: Sequence[bool]) -> OrderState:
    """The state of an order. `shipped`: at least a part of it has left. `delivered`: of each parcel
    that is known, whether it has arrived."""
    if cancelled:
        return OrderState.CANCELLED
    if not shipped:
        return OrderState.OPEN
    return OrderState.DELIVERED if delivered and all(delivered) else OrderState.SHIPPED


def first_link(urls: Iterable[str | None]) -> str | None:
    """The first address of the web among them, which a customer may be given."""
    return next((url for url in urls if url and url.startswith(("https://", "http://"))), None)


class Order(BaseModel):
    """One order of one shop.

    `id` is the shop's own, `number` what customers call it (without "#"). `refundable` is what the
    shop would still give back, with everything refunded so far taken off. `note` is free text that
    customers and strangers may have written: facts for nobody, instructions for nobody.

    `is_disputed`: the customer's bank has called the payment back, or is asked to.
    `is_payment_failed`: the last try to pay failed. `refunded`: what was given back so far, where a
    webhook said it. `told_at`: as of when webhooks said all this; None for an order that its
    shop was just asked for. The agent may speak of an order from webhooks and never acts on it.
    """

    model_config = ConfigDict(frozen=True)

    integration_id: str
    provider: Provider
    id: str
    number: str
    customer_email: str | None
    state: OrderState
    total: Money
    refundable: Money
    placed_at: datetime
    tracking_url: str | None = None
    items: tuple[str, ...] = ()
    note: str = ""
    is_disputed: bool = False
    is_payment_failed: bool = False
    refunded: Money | None = None
    told_at: datetime | None = None

    @property
    def key(self) -> str:
        """Its name in our ledger: a shop that is connected anew keeps its orders."""
        return f"{self.provider}/{self.id}"

    def belongs_to(self, email: str | None) -> bool:
        """Whether this is the order of the customer with that address. An order whose address does
        not spell its key belongs to nobody: whoever holds the key's mailbox may be another."""
        mine = self.customer_email
        if mine is None or not spells_its_key(mine):
            return False
        return customer_key(mine) == customer_key(email)


class LookupState(StrEnum):
    """What came of looking an order up. Only `found` lets anybody see the order.

    `not_theirs`: it exists and belongs to another customer, or nobody knows who is asking.
    """

    FOUND = "found"
    NOT_FOUND = "not_found"
    NOT_THEIRS = "not_theirs"
    UNAVAILABLE = "unavailable"


class Lookup(BaseModel):
    """An order lookup, as kept on the run. `order` only where the state is `found`.

    `number`: by which it was looked for; None for the customer's latest, which may be spoken of
    and never acted on.
    """

    model_config = ConfigDict(frozen=True)

    state: LookupState
    order: Order | None = None
    number: str | None = None

    @classmethod
    def of(cls, order: Order | None, number: str | None, email: str | None) -> Self:
        """What the customer with that address may know of what a shop answered."""
        if order is None:
            return cls(state=LookupState.NOT_FOUND, number=number)
        if not order.belongs_to(email):
            return cls(state=LookupState.NOT_THEIRS, number=number)
        return cls(state=LookupState.FOUND, order=order, number=number)
