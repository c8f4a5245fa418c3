"""A firewall in front of a shop returns 403, which says nothing about our credentials."""

from collections.abc import AsyncIterator, Iterator

import httpx
import pytest

from adapters.connectors.http import open_client
from domain.integrations.errors import ActionForbidden
from tests.adapters.connectors.shop_case import Case, shopify_case, stripe_case, woocommerce_case
from tests.support.servers.http_service import Fault


@pytest.fixture(params=[shopify_case, stripe_case, woocommerce_case])
def case(request: pytest.FixtureRequest) -> Iterator[Case]:
    with request.param() as case:
        yield case


@pytest.fixture
async def http() -> AsyncIterator[httpx.AsyncClient]:
    async with open_client() as client:
        yield client


async def test_a_firewall_before_the_shop_says_nothing_of_the_credentials(
    case: Case, http: httpx.AsyncClient
) -> None:
    shop = case.make(case.integration, case.credentials, http)
    case.server.fail_next(Fault.STATUS, case.read, status=403)

    with pytest.raises(ActionForbidden):
        await shop.find_order("1001", None)
    assert await shop.find_order("1001", None) is not None
