"""A customer's orders, merged from facts and from the agent's lookups."""

from datetime import UTC, datetime, timedelta

from domain.core.money import MAX_MINOR, Money
from domain.customers.customer_orders import (
    CustomerOrder,
    merged_orders,
    order_of_fact,
    order_of_lookup,
    spent_on,
    summed,
)
from domain.integrations.order import Order, OrderState
from domain.integrations.order_fact import OrderFact
from domain.integrations.providers import Provider

NOW = datetime(2026, 5, 4, tzinfo=UTC)
DAY = timedelta(days=1)


def euros(minor: int) -> Money:
    return Money(minor=minor, currency="EUR")


def an_order(number: str, **changes: object) -> CustomerOrder:
    whole = CustomerOrder(
        keys=(f"shopify/{number}",),
        number=number,
        state=OrderState.OPEN,
        total=euros(4_900),
        refunded=None,
        placed_at=NOW,
        as_of=NOW,
    )
    return whole.model_copy(update=changes)


def test_the_latest_data_decides_and_older_data_fills() -> None:
    known = an_order("#1043", state=OrderState.DELIVERED, as_of=NOW, total=None)
    older = an_order("1043", as_of=NOW - DAY, refunded=euros(100), keys=("stripe/p",))

    (merged,) = merged_orders([older, known])

    assert (merged.state, merged.total, merged.refunded) == (
        OrderState.DELIVERED,
        euros(4_900),
        euros(100),
    )
    assert {*merged.keys} == {"shopify/#1043", "stripe/p"}


def test_an_unknown_state_gives_way() -> None:
    paid = an_order("1", state=OrderState.UNKNOWN)
    sent = an_order("1", state=OrderState.SHIPPED, as_of=NOW - DAY)

    assert merged_orders([paid, sent])[0].state is OrderState.SHIPPED


def test_orders_stand_latest_first() -> None:
    orders = merged_orders([an_order("1", placed_at=NOW - DAY), an_order("2")])

    assert [one.number for one in orders] == ["2", "1"]


def test_shops_may_use_the_same_numbers() -> None:
    orders = [
        an_order("1043", keys=("shopify/7",)),
        an_order("1043", keys=("woocommerce/1043",), as_of=NOW - DAY),
        an_order("#1043", keys=("stripe/p",), as_of=NOW + DAY, is_payment_failed=True),
        an_order("1043", keys=("shopify/7",), as_of=NOW - DAY),
    ]
    merged = merged_orders(orders)

    assert [one.keys for one in merged] == [("stripe/p", "shopify/7"), ("woocommerce/1043",)]
    assert spent_on(merged) == (euros(4_900),)


def test_a_payment_without_a_number_is_no_order() -> None:
    fact = OrderFact(order_id="pi_1", version=NOW, total=euros(4_900))

    assert order_of_fact(fact, Provider.STRIPE) is None
    assert order_of_fact(fact, Provider.SHOPIFY) is not None


def test_a_deleted_order_is_none() -> None:
    assert order_of_fact(OrderFact(order_id="1", version=NOW, is_deleted=True), "shopify") is None


def test_a_fact_and_a_lookup_of_an_order_have_the_same_key() -> None:
    fact = order_of_fact(OrderFact(order_id="7", version=NOW, number="1043"), Provider.SHOPIFY)
    looked_up = order_of_lookup(
        Order(
            integration_id="i",
            provider=Provider.SHOPIFY,
            id="7",
            number="1043",
            customer_email="ann@x.example",
            state=OrderState.SHIPPED,
            total=euros(4_900),
            refundable=euros(4_900),
            placed_at=NOW - DAY,
        ),
        NOW,
    )

    assert fact is not None
    assert fact.keys == looked_up.keys == ("shopify/7",)
    assert looked_up.as_of == NOW


def test_an_order_that_was_not_paid_is_not_spent_on() -> None:
    orders = [
        an_order("1"),
        an_order("2", total=Money(minor=5, currency="USD")),
        an_order("3", state=OrderState.CANCELLED),
        an_order("4", total=None),
        an_order("5", is_payment_failed=True),
    ]

    assert spent_on(orders) == (euros(4_900), Money(minor=5, currency="USD"))


def test_a_sum_never_exceeds_what_money_allows() -> None:
    assert summed([euros(MAX_MINOR), euros(1)]) == (euros(MAX_MINOR),)
