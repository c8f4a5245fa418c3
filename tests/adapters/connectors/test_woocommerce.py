"""WooCommerce's specifics: order numbers and ids, recorded refunds, cancellations."""

from collections.abc import AsyncIterator, Iterator

import pytest

from activities.runs.actions import CancelsOrders
from adapters.connectors.http import open_client
from adapters.connectors.woocommerce import WooCommerce
from domain.core.money import Money
from domain.integrations.errors import ActionRefused, ActionUnknown
from domain.integrations.integration import Integration
from domain.integrations.order import OrderState
from domain.integrations.providers import Provider
from tests.support.agent.orders import an_order
from tests.support.servers.http_service import Fault
from tests.support.servers.woocommerce import (
    KEY,
    SECRET,
    WooCommerceServer,
    WooOrder,
    WooRefund,
    woocommerce_server,
)

ACTION = "3f2b7c1e-0000-5000-8000-000000000001"
CUSTOMER = "lea@example.com"
ORDER = an_order(id="7")
PART = Money(minor=1500, currency="EUR")


@pytest.fixture
def server() -> Iterator[WooCommerceServer]:
    with woocommerce_server(WooOrder(7, 4990, CUSTOMER)) as server:
        yield server


@pytest.fixture
async def shop(server: WooCommerceServer) -> AsyncIterator[WooCommerce]:
    settings = {"url": "https://shop.example", "base_url": server.url}
    integration = Integration(id="i", provider=Provider.WOOCOMMERCE, settings=settings, sealed="s")
    credentials = {"consumer_key": KEY, "consumer_secret": SECRET}
    async with open_client() as http:
        yield WooCommerce.of(integration, credentials, http)


async def test_an_order_is_what_the_customer_calls_so(
    server: WooCommerceServer, shop: WooCommerce
) -> None:
    """In a shop with its own numbering, an id can equal another order's number."""
    server.orders = [WooOrder(7, 100, CUSTOMER, number="FR-7"), WooOrder(8, 200, "x", number="7")]

    for number, order_id in (("7", "8"), ("fr-7", "7"), ("8", "8")):
        found = await shop.find_order(number, None)
        assert found is not None
        assert found.id == order_id
    assert await shop.find_order("9", None) is None


async def test_the_latest_of_a_customer(server: WooCommerceServer, shop: WooCommerce) -> None:
    server.orders += [WooOrder(8, 100, "LEA@example.com"), WooOrder(9, 100, f"anna{CUSTOMER}")]

    found = await shop.find_order(None, CUSTOMER)
    assert found is not None
    assert found.id == "8"
    assert await shop.find_order(None, "nobody@example.com") is None


async def test_money_really_moves_and_goods_stay(
    server: WooCommerceServer, shop: WooCommerce
) -> None:
    await shop.refund(ORDER, PART, ACTION, again=False)

    (refund,) = server.refunds
    assert (refund.moved, refund.restocked) == (True, False)
    assert ACTION in refund.reason


async def test_a_refund_at_work_is_none_yet(server: WooCommerceServer, shop: WooCommerce) -> None:
    """It is recorded before the payment provider is called, and deleted if the provider refuses."""
    begun = WooRefund(9000, 7, 1500, f"Refunded, {ACTION}", moved=False, restocked=False)
    server.refunds.append(begun)

    with pytest.raises(ActionUnknown):
        await shop.refund(ORDER, PART, ACTION, again=True)
    assert server.refunds == [begun]


async def test_what_was_never_paid_is_not_given_back(
    server: WooCommerceServer, shop: WooCommerce
) -> None:
    server.orders[0].is_paid = False

    found = await shop.find_order("7", None)
    assert found is not None
    assert found.refundable.minor == 0
    with pytest.raises(ActionRefused):
        await shop.refund(ORDER, PART, ACTION, again=False)
    assert server.refunds == []


async def test_a_cancelled_order_is_paid_back_once(
    server: WooCommerceServer, shop: WooCommerce
) -> None:
    assert isinstance(shop, CancelsOrders)
    server.fail_next(Fault.CUT, "POST", after=True)
    with pytest.raises(ActionUnknown):
        await shop.cancel(ORDER, ACTION, again=False)

    assert await shop.cancel(ORDER, ACTION, again=True) == "7"
    assert [refund.minor for refund in server.refunds] == [4990]
    assert server.orders[0].status == "refunded"


async def test_cancelled_and_not_paid_back_is_for_people(
    server: WooCommerceServer, shop: WooCommerce
) -> None:
    server.fail_next(Fault.STATUS, "POST", status=400)
    with pytest.raises(ActionUnknown):
        await shop.cancel(ORDER, ACTION, again=False)
    assert server.orders[0].status == "cancelled"

    await shop.cancel(ORDER, ACTION, again=True)
    assert [refund.minor for refund in server.refunds] == [4990]


@pytest.mark.parametrize("status", ["completed", "cancelled", "refunded"])
async def test_what_cannot_be_stopped_any_more(
    server: WooCommerceServer, shop: WooCommerce, status: str
) -> None:
    server.orders[0].status = status

    with pytest.raises(ActionRefused):
        await shop.cancel(ORDER, ACTION, again=False)
    assert (server.orders[0].status, server.refunds) == (status, [])


async def test_a_completed_order_was_sent(server: WooCommerceServer, shop: WooCommerce) -> None:
    server.orders[0].status = "completed"

    found = await shop.find_order("7", None)
    assert found is not None
    assert found.state is OrderState.SHIPPED
