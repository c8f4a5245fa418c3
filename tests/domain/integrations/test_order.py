"""Whose an order is."""

from datetime import UTC, datetime

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
    """Folded, `weiß` and `weiss` are one key, and two mailboxes of two people."""
    assert not order_of(mine).belongs_to(asks)


def test_case_and_spaces_tell_no_customers_apart() -> None:
    assert order_of(" Ann@X.example ").belongs_to("ann@x.example")
