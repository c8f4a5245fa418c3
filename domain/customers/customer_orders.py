"""The orders of a customer, from the facts in webhooks and from what the agent read in the shop."""

from collections.abc import Iterable
from datetime import datetime

from pydantic import BaseModel, ConfigDict

from domain.core.money import MAX_MINOR, Money
from domain.integrations.known_order import number_key
from domain.integrations.order import Order, OrderState
from domain.integrations.order_fact import OrderFact


class CustomerOrder(BaseModel):
    """A customer's order, as the service last knew it. `keys`: the order's keys in the action
    ledger, one for each platform that reports it. `as_of`: the time of the latest data. `refunded`:
    the total refunded according to the shop, if it is known."""

    model_config = ConfigDict(frozen=True)

    keys: tuple[str, ...]
    number: str
    state: OrderState
    total: Money | None
    refunded: Money | None
    placed_at: datetime | None
    as_of: datetime


def order_of_fact(fact: OrderFact, provider: str) -> CustomerOrder | None:
    """Return the order that a fact describes, or None if the order was deleted."""
    if fact.is_deleted:
        return None
    return CustomerOrder(
        keys=(f"{provider}/{fact.order_id}",),
        number=fact.number or fact.order_id,
        state=fact.state or OrderState.UNKNOWN,
        total=fact.total,
        refunded=fact.refunded,
        placed_at=fact.placed_at,
        as_of=fact.version,
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
    )


def merged_orders(found: Iterable[CustomerOrder]) -> tuple[CustomerOrder, ...]:
    """Return one order for each number, latest placed first. The latest data decides; older data
    fills what it does not state."""
    by_number: dict[str, CustomerOrder] = {}
    for one in sorted(found, key=lambda order: order.as_of, reverse=True):
        number = number_key(one.number) or one.number
        known = by_number.get(number)
        by_number[number] = one if known is None else _filled(known, one)
    return tuple(
        sorted(by_number.values(), key=lambda order: order.placed_at or order.as_of, reverse=True)
    )


def spent_on(orders: Iterable[CustomerOrder]) -> tuple[Money, ...]:
    """Return the totals of the orders that are not cancelled, per currency."""
    return summed(
        one.total
        for one in orders
        if one.total is not None and one.state is not OrderState.CANCELLED
    )


def summed(amounts: Iterable[Money]) -> tuple[Money, ...]:
    """Return the sum of the amounts in each currency, by currency. A sum is at most the largest
    amount that `Money` allows."""
    sums: dict[str, int] = {}
    for one in amounts:
        sums[one.currency] = sums.get(one.currency, 0) + one.minor
    return tuple(
        Money(minor=min(minor, MAX_MINOR), currency=currency)
        for currency, minor in sorted(sums.items())
    )


def _filled(known: CustomerOrder, older: CustomerOrder) -> CustomerOrder:
    return known.model_copy(
        update={
            "keys": tuple(dict.fromkeys((*known.keys, *older.keys))),
            "state": older.state if known.state is OrderState.UNKNOWN else known.state,
            "total": known.total or older.total,
            "refunded": known.refunded or older.refunded,
            "placed_at": known.placed_at or older.placed_at,
        }
    )
