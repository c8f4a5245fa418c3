"""PrestaShop's Webservice: orders that are found, and no money that is given back."""

from collections.abc import AsyncIterator, Iterator

import httpx
import pytest

from activities.runs.actions import CancelsOrders
from adapters.connectors.http import open_client
from adapters.connectors.prestashop import PrestaShop
from domain.core.money import Money
from domain.integrations.errors import ActionRefused, ActionUnreachable, NotAuthorized
from domain.integrations.integration import Integration
from domain.integrations.order import OrderState
from domain.integrations.provider import Provider
from tests.support.agent.orders import an_order
from tests.support.servers.http_service import Fault
from tests.support.servers.prestashop import (
    KEY,
    PrestaShopOrder,
    PrestaShopServer,
    prestashop_server,
)

CUSTOMER = "lea@example.com"


@pytest.fixture
def server() -> Iterator[PrestaShopServer]:
    with prestashop_server(
        PrestaShopOrder(5, "XKBKNABJK", CUSTOMER), PrestaShopOrder(6, "OHSATSERP", "x@example.com")
    ) as server:
        yield server


@pytest.fixture
async def http() -> AsyncIterator[httpx.AsyncClient]:
    async with open_client() as client:
        yield client


def connected(server: PrestaShopServer, http: httpx.AsyncClient, key: str = KEY) -> PrestaShop:
    settings = {"url": "https://shop.example", "base_url": server.url}
    integration = Integration(id="i", provider=Provider.PRESTASHOP, settings=settings, sealed="s")
    return PrestaShop.of(integration, {"webservice_key": key}, http)


@pytest.fixture
def shop(server: PrestaShopServer, http: httpx.AsyncClient) -> PrestaShop:
    return connected(server, http)


async def test_an_order_by_its_reference(shop: PrestaShop) -> None:
    found = await shop.find_order(" #XKBKNABJK ", None)

    assert found is not None
    assert (found.id, found.number, found.customer_email) == ("5", "XKBKNABJK", CUSTOMER)
    assert found.total == Money(minor=4990, currency="EUR")
    assert found.refundable.minor == 0
    assert (found.state, found.items) == (OrderState.OPEN, ("2 × Tea",))
    for wrong in ("XKBKNABJ", "x]|[y", "*", ""):
        assert await shop.find_order(wrong, CUSTOMER) is None


async def test_the_latest_of_a_customer(server: PrestaShopServer, shop: PrestaShop) -> None:
    server.orders.append(PrestaShopOrder(9, "LATERONES", CUSTOMER))

    found = await shop.find_order(None, CUSTOMER)
    assert found is not None
    assert found.number == "LATERONES"
    for nobody in ("nobody@example.com", "a]|[b@example.com", "a\nb@example.com"):
        assert await shop.find_order(None, nobody) is None


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        (3, OrderState.OPEN),
        (4, OrderState.SHIPPED),
        (5, OrderState.DELIVERED),
        (6, OrderState.CANCELLED),
    ],
)
async def test_how_far_it_is(
    server: PrestaShopServer, shop: PrestaShop, state: int, expected: OrderState
) -> None:
    server.orders[0].state = state

    found = await shop.find_order("XKBKNABJK", None)
    assert found is not None
    assert found.state is expected


async def test_nothing_is_given_back_or_cancelled(
    server: PrestaShopServer, shop: PrestaShop
) -> None:
    with pytest.raises(ActionRefused, match="gives no refunds over its API"):
        await shop.refund(an_order(id="5"), Money(minor=1, currency="EUR"), "k", again=False)
    assert not isinstance(shop, CancelsOrders)
    assert server.seen == []


async def test_what_goes_wrong(
    server: PrestaShopServer, shop: PrestaShop, http: httpx.AsyncClient
) -> None:
    for fault in (Fault.CUT, Fault.GARBAGE, Fault.STATUS):
        server.fail_next(fault, "GET")
        with pytest.raises(ActionUnreachable):
            await shop.find_order("XKBKNABJK", None)
    with pytest.raises(NotAuthorized):
        await connected(server, http, "OTHER").find_order("XKBKNABJK", None)
    server.allowed.remove("customers")
    with pytest.raises(NotAuthorized):
        await shop.find_order("XKBKNABJK", None)
