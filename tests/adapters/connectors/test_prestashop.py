"""PrestaShop's Webservice: order lookups, and no refunds."""

from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta

import httpx
import pytest

from activities.runs.actions import CancelsOrders
from adapters.connectors.http import open_client
from adapters.connectors.prestashop import PrestaShop
from adapters.connectors.prestashop_changes import PrestaShopChanges
from domain.core.money import Money
from domain.inbound.inbound_request import InboundRequest
from domain.inbound.meaning import OrderNews
from domain.inbound.platforms.prestashop import PrestaShopWebhooks
from domain.inbound.ports import EndpointFacts
from domain.integrations.errors import (
    ActionForbidden,
    ActionRefused,
    ActionUnreachable,
    NotAuthorized,
)
from domain.integrations.integration import Integration
from domain.integrations.order import OrderState
from domain.integrations.providers import Provider
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
    with pytest.raises(ActionForbidden):
        await shop.find_order("XKBKNABJK", None)


async def test_what_has_changed_is_told_as_a_module_would(
    server: PrestaShopServer, shop: PrestaShop
) -> None:
    """More orders in one second than fit on a page: none is reported twice under another name."""
    same = "2026-03-02 09:30:00"
    server.orders += [
        PrestaShopOrder(10 + n, f"REF{n}", CUSTOMER, updated_at=same) for n in range(45)
    ]
    server.orders.append(PrestaShopOrder(99, "LAST", CUSTOMER, "10.00", 5, "2026-03-02 09:31:00"))
    since = datetime(2026, 3, 2, 9, tzinfo=UTC) + timedelta(hours=12)

    names: list[str] = []
    position: dict[str, str] = {}
    has_more = True
    while has_more:
        page = await PrestaShopChanges(shop).changes(position, since)
        position, has_more = dict(page.position), page.has_more
        names += [one.identity.dedup_key for one in page.changes]
        last = page.changes[-1]

    assert len(set(names)) == 46
    request = InboundRequest({}, last.body)
    news = PrestaShopWebhooks().read(request, last.identity, EndpointFacts("i"))
    assert isinstance(news, OrderNews)
    (fact,) = news.facts
    assert (fact.order_id, fact.number, fact.customer_email) == ("99", "LAST", CUSTOMER)
    assert (fact.state, fact.items) == (OrderState.DELIVERED, ("2 × Tea",))
    assert fact.total == Money(minor=1000, currency="EUR")
    quiet = await PrestaShopChanges(shop).changes({"since": "2026-03-02T09:31:00+00:00"}, since)
    assert (quiet.changes, quiet.has_more) == ((), False)
