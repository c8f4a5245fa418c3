"""Stripe's specifics: metadata, currency units and idempotency keys."""

from collections.abc import AsyncIterator, Iterator

import pytest

from activities.runs.actions import CancelsOrders
from adapters.connectors.http import open_client
from adapters.connectors.stripe import Stripe
from domain.core.money import Money
from domain.integrations.errors import ActionRefused, ActionUnknown
from domain.integrations.integration import Integration
from domain.integrations.order import OrderState
from domain.integrations.providers import Provider
from tests.support.agent.orders import an_order
from tests.support.servers.stripe import (
    API_KEY,
    StripePayment,
    StripeRefund,
    StripeServer,
    stripe_server,
)

KEY = "3f2b7c1e-0000-5000-8000-000000000001"
CUSTOMER = "lea@example.com"
NUMBER = {"order_number": "1001"}
ORDER = an_order(id="pi_1")


@pytest.fixture
def server() -> Iterator[StripeServer]:
    with stripe_server() as server:
        yield server


@pytest.fixture
async def shop(server: StripeServer) -> AsyncIterator[Stripe]:
    integration = Integration(
        id="i", provider=Provider.STRIPE, settings={"base_url": server.url}, sealed="sealed"
    )
    async with open_client() as http:
        yield Stripe.of(integration, {"api_key": API_KEY}, http)


@pytest.mark.parametrize(
    "metadata", [{"order_number": "1001"}, {"order_id": "1001"}, {"order_number": "#1001"}]
)
async def test_how_an_order_is_named(
    server: StripeServer, shop: Stripe, metadata: dict[str, str]
) -> None:
    server.orders.append(StripePayment("pi_1", 4990, metadata=metadata, email=CUSTOMER))

    found = await shop.find_order("1001", None)

    assert found is not None
    assert (found.id, found.number) == ("pi_1", "1001")
    assert await shop.find_order(None, CUSTOMER) is None


async def test_the_payment_that_went_through(server: StripeServer, shop: Stripe) -> None:
    server.orders += [
        StripePayment("pi_1", 4990, status="requires_payment_method", metadata=NUMBER, created=9),
        StripePayment("pi_2", 4990, metadata=NUMBER, receipt_email=CUSTOMER, created=5),
    ]

    found = await shop.find_order("1001", None)

    assert found is not None
    assert found.id == "pi_2"
    assert found.belongs_to(CUSTOMER)


async def test_of_two_the_customers_own(server: StripeServer, shop: Stripe) -> None:
    server.orders += [
        StripePayment("pi_1", 100, metadata=NUMBER, email=CUSTOMER, created=5),
        StripePayment("pi_2", 200, metadata=NUMBER, email="other@example.com", created=9),
    ]

    found = await shop.find_order("1001", CUSTOMER)

    assert found is not None
    assert found.id == "pi_1"


@pytest.mark.parametrize(
    ("payment", "state", "refundable"),
    [
        (StripePayment("pi_1", 4990, metadata=NUMBER, refunded=990), OrderState.UNKNOWN, 4000),
        (StripePayment("pi_1", 4990, metadata=NUMBER, disputed=True), OrderState.UNKNOWN, 0),
        (StripePayment("pi_1", 4990, metadata=NUMBER, status="canceled"), OrderState.CANCELLED, 0),
    ],
)
async def test_what_is_left(
    server: StripeServer,
    shop: Stripe,
    payment: StripePayment,
    state: OrderState,
    refundable: int,
) -> None:
    server.orders.append(payment)

    found = await shop.find_order("1001", None)

    assert found is not None
    assert found.state is state
    assert found.refundable == Money(minor=refundable, currency="EUR")


@pytest.mark.parametrize(
    ("currency", "units", "minor"),
    [
        ("eur", 4990, 4990),
        ("jpy", 500, 500),
        ("kwd", 5000, 5000),
        ("isk", 50000, 500),
        ("mga", 5, 500),
    ],
)
async def test_units(
    server: StripeServer, shop: Stripe, currency: str, units: int, minor: int
) -> None:
    """Most currencies follow ISO 4217; for some, Stripe uses more or fewer digits."""
    server.orders.append(StripePayment("pi_1", units, currency, metadata=NUMBER))

    found = await shop.find_order("1001", None)
    assert found is not None
    assert found.total == Money(minor=minor, currency=currency.upper())
    await shop.refund(found, found.total, KEY, again=False)

    assert [refund.amount for refund in server.refunds] == [units]


async def test_what_stripe_has_no_unit_for(server: StripeServer, shop: Stripe) -> None:
    server.orders.append(StripePayment("pi_1", 5, "mga", metadata=NUMBER))
    order = await shop.find_order("1001", None)
    assert order is not None

    with pytest.raises(ActionRefused):
        await shop.refund(order, Money(minor=150, currency="MGA"), KEY, again=False)


async def test_a_first_request_still_at_work(server: StripeServer, shop: Stripe) -> None:
    server.orders.append(StripePayment("pi_1", 4990))
    server.busy.add(KEY)

    with pytest.raises(ActionUnknown):
        await shop.refund(ORDER, ORDER.total, KEY, again=True)


async def test_the_same_key_with_another_amount(server: StripeServer, shop: Stripe) -> None:
    """A different action used this key: a human must check."""
    server.orders.append(StripePayment("pi_1", 4990))
    await shop.refund(ORDER, Money(minor=100, currency="EUR"), KEY, again=False)

    with pytest.raises(ActionUnknown):
        await shop.refund(ORDER, Money(minor=200, currency="EUR"), KEY, again=False)
    assert [refund.amount for refund in server.refunds] == [100]


async def test_a_breakdown_that_is_remembered(server: StripeServer, shop: Stripe) -> None:
    """Stripe returns the same stored 500 again; the outcome remains unknown, and no other key is
    tried."""
    server.orders.append(StripePayment("pi_1", 4990))
    server.breaks_next = True

    for again in (False, True, True):
        with pytest.raises(ActionUnknown):
            await shop.refund(ORDER, ORDER.total, KEY, again=again)
    assert server.refunds == []


@pytest.mark.parametrize("again", [False, True])
async def test_a_refund_that_failed(server: StripeServer, shop: Stripe, again: bool) -> None:
    server.orders.append(StripePayment("pi_1", 4990))
    server.next_status = "failed"

    with pytest.raises(ActionRefused):
        await shop.refund(ORDER, ORDER.total, KEY, again=False)
    with pytest.raises(ActionRefused):
        await shop.refund(ORDER, ORDER.total, KEY, again=again)


async def test_more_refunds_than_are_looked_at(server: StripeServer, shop: Stripe) -> None:
    server.orders.append(StripePayment("pi_1", 4990))
    server.refunds = [StripeRefund(f"re_{n}", "pi_1", 1, "succeeded", {}) for n in range(101)]

    with pytest.raises(ActionUnknown):
        await shop.refund(ORDER, ORDER.total, KEY, again=True)
    assert len(server.refunds) == 101


def test_it_cancels_nothing(shop: Stripe) -> None:
    """A payment provider can refund, but cannot stop a shipment."""
    assert not isinstance(shop, CancelsOrders)
