"""The order, in one format for all shops."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Self

from pydantic import AwareDatetime, BaseModel, ConfigDict

from domain.core.money import Money
from domain.intake.customer_email import customer_key, spells_its_key
from domain.integrations.providers import Provider


class OrderState(StrEnum):
    """The progress of an order. `unknown`: the progress cannot be determined, for example because
    the source reports only the payment."""

    OPEN = "open"
    SHIPPED = "shipped"
    DELIVERED = "delivered"
    CANCELLED = "cancelled"
    UNKNOWN = "unknown"


def state_of(*, cancelled: bool, shipped: bool, delivered: Sequence[bool]) -> OrderState:
    """Return the state of an order. `shipped` means that at least one part has shipped. `delivered`
    states for each known parcel whether it has arrived."""
    if cancelled:
        return OrderState.CANCELLED
    if not shipped:
        return OrderState.OPEN
    return OrderState.DELIVERED if delivered and all(delivered) else OrderState.SHIPPED


def first_link(urls: Iterable[str | None]) -> str | None:
    """Return the first http or https URL, or None if there is none. The URL may be shown to
    customers."""
    return next((url for url in urls if url and url.startswith(("https://", "http://"))), None)


def folded_number(number: str) -> str:
    """Return an order number in lower case, without a leading "#" and surrounding spaces. Two
    providers may write the number of one order differently."""
    return number.strip().lstrip("# ").lower()


class Order(BaseModel):
    """An order in a shop. An order known only from webhooks may be mentioned, but never acted on.

    - `id`: the shop's id.
    - `number`: the number that customers use, without "#".
    - `refundable`: the amount that the shop would still refund.
    - `note`: free text from customers and strangers, never a fact or an instruction.
    - `is_disputed`: the customer's bank has reversed the payment, or was asked to.
    - `refunded`: the total refunded, if a webhook reported it.
    - `told_at`: the version of the webhook data, or None if the shop was queried.
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
        """The order's key in the action ledger. It stays the same when the shop is reconnected."""
        return f"{self.provider}/{self.id}"

    @property
    def folded_number(self) -> str:
        """The number for comparison with other orders' numbers."""
        return folded_number(self.number)

    def belongs_to(self, email: str | None) -> bool:
        """Return True if the order belongs to the customer with the given address.

        An order whose address differs from its canonical form (`customer_key`) matches no customer.
        That form's mailbox may belong to another person.
        """
        mine = self.customer_email
        if mine is None or not spells_its_key(mine):
            return False
        return customer_key(mine) == customer_key(email)


class LookupState(StrEnum):
    """The outcome of an order lookup. Only `found` makes the order visible.

    `not_theirs`: the order exists, but not for this customer. `unavailable`: the shop could not be
    queried.
    """

    FOUND = "found"
    NOT_FOUND = "not_found"
    NOT_THEIRS = "not_theirs"
    UNAVAILABLE = "unavailable"


class Lookup(BaseModel):
    """The result of an order lookup, as stored with the run.

    `order` is set only for `found`. `number` is None for a lookup of the customer's latest order,
    which actions never change. `looked_up_at` is None if an earlier version stored the lookup.
    """

    model_config = ConfigDict(frozen=True)

    state: LookupState
    order: Order | None = None
    number: str | None = None
    looked_up_at: AwareDatetime | None = None

    @classmethod
    def of(cls, order: Order | None, number: str | None, email: str | None) -> Self:
        """Return the lookup result for the order returned by the shop, or for None if the shop
        returned no order. The order is visible only if it belongs to the customer with the address
        `email`."""
        if order is None:
            return cls(state=LookupState.NOT_FOUND, number=number)
        if not order.belongs_to(email):
            return cls(state=LookupState.NOT_THEIRS, number=number)
        return cls(state=LookupState.FOUND, order=order, number=number)
