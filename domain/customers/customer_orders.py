"""A customer's orders, from webhooks and from the agent's lookups in the shop."""

from collections.abc import Iterable
from datetime import datetime
from functools import reduce
from typing import Final

from pydantic import BaseModel, ConfigDict

from domain.core.money import MAX_MINOR, Money
from domain.integrations.known_order import number_key
from domain.integrations.order import Order, OrderState
from domain.integrations.order_fact import OrderFact
from domain.integrations.providers import PAYMENT_PROVIDERS

_OF_PAYMENTS: Final = tuple(f"{provider}/" for provider in PAYMENT_PROVIDERS)


class CustomerOrder(BaseModel):
    """A customer's order, as last reported. `keys` are its keys in the action ledger, one for each
    platform. `as_of` is the time of the latest data. `refunded` is the shop's total, if known."""

    model_config = ConfigDict(frozen=True)

    keys: tuple[str, ...]
    number: str
    state: OrderState
    total: Money | None
    refunded: Money | None
    placed_at: datetime | None
    as_of: datetime
    is_payment_failed: bool | None = None

    @property
    def is_payment(self) -> bool:
        """True if only a payment provider reports the order."""
        return all(key.startswith(_OF_PAYMENTS) for key in self.keys)


def order_of_fact(fact: OrderFact, provider: str) -> CustomerOrder | None:
    """Return the order described by a fact, or None if the order was deleted. A payment provider's
    fact without an order number describes no order."""
    if fact.is_deleted or (provider in PAYMENT_PROVIDERS and fact.number is None):
        return None
    return CustomerOrder(
        keys=(f"{provider}/{fact.order_id}",),
        number=fact.number or fact.order_id,
        state=fact.state or OrderState.UNKNOWN,
        total=fact.total,
        refunded=fact.refunded,
        placed_at=fact.placed_at,
        as_of=fact.version,
        is_payment_failed=fact.is_payment_failed,
    )


def order_of_lookup(order: Order, read_at: datetime) -> CustomerOrder:
    """Return an order that the agent looked up at `read_at`."""
    return CustomerOrder(
        keys=(order.key,),
        number=order.number,
        state=order.state,
        total=order.total,
        refunded=order.refunded,
        placed_at=order.placed_at,
        as_of=order.told_at or read_at,
        # In a lookup, False may also mean that the payment state is unknown.
        is_payment_failed=order.is_payment_failed or None,
    )


def merged_orders(found: Iterable[CustomerOrder]) -> tuple[CustomerOrder, ...]:
    """Return each order once, most recently placed first.

    Newer data takes precedence, and older data fills in missing values. A payment belongs to the
    order with the same number. Two shops' orders stay separate.
    """
    latest_first = sorted(found, key=lambda order: order.as_of, reverse=True)
    groups: list[list[CustomerOrder]] = []
    for one in sorted(latest_first, key=lambda order: order.is_payment):
        group = next((group for group in groups if _is_same(group[0], one)), None)
        if group is None:
            groups.append([one])
        else:
            group.append(one)
    orders = (
        reduce(_filled, sorted(group, key=lambda order: order.as_of, reverse=True))
        for group in groups
    )
    return tuple(sorted(orders, key=lambda one: one.placed_at or one.as_of, reverse=True))


def spent_on(orders: Iterable[CustomerOrder]) -> tuple[Money, ...]:
    """Return the orders' totals per currency, without cancelled orders and failed payments."""
    return summed(
        one.total
        for one in orders
        if one.total is not None
        and one.state is not OrderState.CANCELLED
        and not one.is_payment_failed
    )


def summed(amounts: Iterable[Money]) -> tuple[Money, ...]:
    """Return the sums of the amounts, by currency. A sum is capped at the largest amount that
    `Money` allows."""
    sums: dict[str, int] = {}
    for one in amounts:
        sums[one.currency] = sums.get(one.currency, 0) + one.minor
    return tuple(
        Money(minor=min(minor, MAX_MINOR), currency=currency)
        for currency, minor in sorted(sums.items())
    )


def _is_same(known: CustomerOrder, other: CustomerOrder) -> bool:
    if not other.is_payment:
        return known.keys == other.keys
    return _number(known) == _number(other)


def _number(one: CustomerOrder) -> str:
    return number_key(one.number) or one.number


def _filled(known: CustomerOrder, older: CustomerOrder) -> CustomerOrder:
    return known.model_copy(
        update={
            "keys": tuple(dict.fromkeys((*known.keys, *older.keys))),
            "state": older.state if known.state is OrderState.UNKNOWN else known.state,
            "total": known.total or older.total,
            "refunded": known.refunded or older.refunded,
            "placed_at": known.placed_at or older.placed_at,
            "is_payment_failed": older.is_payment_failed
            if known.is_payment_failed is None
            else known.is_payment_failed,
        }
    )
