"""The owner of an order."""

from datetime import UTC, datetime
from time import thread_time

import pytest

from domain.core.money import Money
from domain.integrations.order import Order, OrderState
from domain.integrations.providers import Provider


def order_of(email: str | None) -> Order:
    money = Money(minor=4_900, currency="EUR")
    return Order(
        id="1", integration_id="i", provider=Provider.SHOPIFY, number="1043", state=OrderState.OPEN,
        customer_email=email, total=money, refundable=money,
        placed_at=datetime(2026, 11, 1, tzinfo=UTC),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("mine", "asks"),
    [
        ("max@weiß.example", "max@weiss.example"),
        ("ﬁn@x.example", "fin@x.example"),
        ("ａ@x.example", "a@x.example"),
        ("max@weiß.example", "max@weiß.example"),
        (None, None),
        ("a@x.example", None),
        ("a@x.example", "b@x.example"),
    ],
)
def test_an_order_is_nobodys_whose_address_may_be_anothers(
    mine: str | None, asks: str | None
) -> None:
    """Folded, `weiß` and `weiss` have one key, but they are two people's mailboxes."""
    assert not order_of(mine).belongs_to(asks)


def test_case_and_spaces_tell_no_customers_apart() -> None:
    assert order_of(" Ann@X.example ").belongs_to("ann@x.example")


def test_an_order_whose_address_is_a_run_of_marks_is_nobodys() -> None:
    """A shop's host chooses the address, of any length. Python sorts marks in quadratic time."""
    hostile = "a" + "\u0315\u0327" * 50_000 + "@x.example"
    started = thread_time()

    assert not order_of(hostile).belongs_to("ann@x.example")
    assert not order_of(hostile).belongs_to(hostile)
    assert thread_time() - started < 1
