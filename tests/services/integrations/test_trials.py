"""Connection tests: problems are found before a customer is affected."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import httpx
import pytest

from adapters.connectors.http import open_client
from adapters.connectors.registry import ConnectorRegistry
from adapters.system import new_ulid
from domain.integrations.errors import IntegrationNotFound
from domain.integrations.integration import Integration, IntegrationStatus
from domain.integrations.ports import Helpdesk, NoticeBoard
from domain.integrations.ports import Shop as ConnectedShop
from domain.integrations.providers import Provider
from domain.integrations.trial import Problem, TriedIntegration
from domain.tenants.actor import Actor
from domain.tenants.client import Role
from domain.tenants.errors import RoleRequired
from embedded.ports import free_port
from services.integrations.connections import disconnect_integration
from services.integrations.trials import connect_and_try, try_integration
from store.core.database import Database
from store.integrations.integrations import IntegrationRepository
from store.integrations.tables import integrations
from tests.support.core.rows import only_row, rows
from tests.support.core.units import units_on
from tests.support.servers import gorgias, shopify, stripe, zendesk
from tests.support.servers.http_service import Fault, HttpService
from tests.support.tenants.shop import Shop
from tests.support.webhooks.webhooks import SEALER

OPERATOR = Actor.operator("operator:test")
Served = Callable[[], AbstractContextManager[HttpService]]

KNOWN: dict[Provider, tuple[Served, dict[str, str], dict[str, str], str]] = {
    Provider.SHOPIFY: (
        shopify.shopify_server, {"shop": "acme.myshopify.com"}, {"access_token": shopify.TOKEN},
        "FindOrder",
    ),
    Provider.STRIPE: (stripe.stripe_server, {}, {"api_key": stripe.API_KEY}, "GET"),
    Provider.ZENDESK: (
        zendesk.zendesk_server, {"subdomain": "acme", "email": zendesk.EMAIL},
        {"api_token": zendesk.API_TOKEN}, "GET",
    ),
    Provider.GORGIAS: (
        gorgias.gorgias_server, {"domain": "acme", "email": "support@acme.example"},
        {"email": gorgias.LOGIN, "api_key": gorgias.API_KEY}, "GET",
    ),
}  # fmt: skip
"""For each provider with a server: the merchant's settings, and what identifies its read
request."""


@pytest.fixture
async def outside() -> AsyncIterator[httpx.AsyncClient]:
    async with open_client() as client:
        yield client


async def connected(
    database: Database, shop: Shop, outside: httpx.AsyncClient, provider: Provider, **more: Any
) -> TriedIntegration:
    """Connect a provider. `more`: settings and credentials that replace the valid ones."""
    _, settings, credentials, _ = KNOWN.get(provider, (None, {}, {}, ""))
    return await connect_and_try(
        units_on(database),
        OPERATOR,
        shop.tenant,
        provider,
        settings={**settings, **more.get("settings", {})},
        credentials={**credentials, **more.get("credentials", {})},
        sealer=SEALER,
        connectors=ConnectorRegistry(
            SEALER, outside, allow_loopback=more.get("allow_loopback", True)
        ),
    )


@pytest.mark.parametrize("provider", KNOWN)
@pytest.mark.parametrize(
    ("status", "problem"),
    [
        (None, None),
        (401, Problem.NOT_AUTHORIZED),
        (403, Problem.FORBIDDEN),
        (404, Problem.REFUSED),
        (302, Problem.REFUSED),
        (500, Problem.UNREACHABLE),
    ],
)
async def test_what_the_other_side_says(
    database: Database, shop: Shop, outside: httpx.AsyncClient, provider: Provider,
    status: int | None, problem: Problem | None,
) -> None:  # fmt: skip
    """One request; the connection is stored whatever its result."""
    served, _, _, method = KNOWN[provider]
    with served() as server:
        if status is not None:
            server.fail_next(Fault.STATUS, method, status=status)
        made = await connected(database, shop, outside, provider, settings={"base_url": server.url})
        assert made.problem is problem
        assert len(server.seen) == 1
    row = await only_row(database, integrations, of=shop)
    assert (row["status"], row["error_code"]) == (IntegrationStatus.CONNECTED, None)


@pytest.mark.parametrize(
    ("provider", "settings", "status", "account"),
    [
        (Provider.SHOPIFY, {}, None, "acme.myshopify.com"),
        (Provider.SHOPIFY, {}, 401, None),
        (Provider.STRIPE, {}, None, None),
        (Provider.STRIPE, {"account": stripe.ACCOUNT}, None, stripe.ACCOUNT),
        (Provider.STRIPE, {"account": "acct_ofAnother"}, None, None),
    ],
)
async def test_an_account_is_proved_by_its_credentials(
    database: Database, shop: Shop, outside: httpx.AsyncClient, provider: Provider,
    settings: dict[str, str], status: int | None, account: str | None,
) -> None:  # fmt: skip
    """Never by its name alone, which anyone could enter."""
    served, _, _, method = KNOWN[provider]
    with served() as server:
        if status is not None:
            server.fail_next(Fault.STATUS, method, status=status)
        at = {**settings, "base_url": server.url}
        await connected(database, shop, outside, provider, settings=at)

    assert (await only_row(database, integrations, of=shop))["proved_account"] == account


@pytest.mark.parametrize("provider", KNOWN)
async def test_wrong_credentials_and_nobody_there(
    database: Database, shop: Shop, outside: httpx.AsyncClient, provider: Provider
) -> None:
    served, _, right, _ = KNOWN[provider]
    wrong = dict.fromkeys(right, "wrong")
    with served() as server:
        found = await connected(
            database, shop, outside, provider,
            settings={"base_url": server.url}, credentials=wrong,
        )  # fmt: skip
    assert found.problem is Problem.NOT_AUTHORIZED
    nowhere = {"base_url": f"http://127.0.0.1:{free_port()}"}
    found = await connected(database, shop, outside, provider, settings=nowhere)
    assert found.problem is Problem.UNREACHABLE


async def test_a_customer_of_the_helpdesk_is_no_agent(
    database: Database, shop: Shop, outside: httpx.AsyncClient
) -> None:
    with zendesk.zendesk_server() as server:
        server.role = "end-user"
        settings = {"base_url": server.url}
        made = await connected(database, shop, outside, Provider.ZENDESK, settings=settings)
    assert made.problem is Problem.NOT_AUTHORIZED


async def test_a_demo_shop_whose_file_is_missing(
    database: Database, shop: Shop, outside: httpx.AsyncClient, tmp_path: Path
) -> None:
    missing = {"path": str(tmp_path / "none.db")}
    made = await connected(database, shop, outside, Provider.DEMO_SHOP, settings=missing)
    assert made.problem is not None


async def test_what_may_not_be_called_from_here(
    database: Database, shop: Shop, outside: httpx.AsyncClient
) -> None:
    local = {"base_url": f"http://127.0.0.1:{free_port()}"}
    made = await connected(
        database, shop, outside, Provider.STRIPE, settings=local, allow_loopback=False
    )
    assert made.problem is Problem.REFUSED


class _Asking:
    """Connectors whose shop needs the only database connection during the request."""

    def __init__(self, database: Database, shop: Shop) -> None:
        self._database, self._shop = database, shop
        self.asked = 0

    def shop(self, integration: Integration) -> ConnectedShop:  # noqa: ARG002
        return self  # type: ignore[return-value]

    def helpdesk(self, integration: Integration) -> Helpdesk:
        raise AssertionError(integration.provider)

    def notices(self, integration: Integration) -> NoticeBoard:
        raise AssertionError(integration.provider)

    async def find_order(self, number: str | None, email: str | None) -> None:  # noqa: ARG002
        async with self._database.reading(self._shop.tenant) as connection:
            found = await IntegrationRepository(connection, self._shop.tenant).entries()
        self.asked += len(found)


async def test_no_transaction_is_open_while_it_is_asked(database_url: str, shop: Shop) -> None:
    """The tested connection is already committed: a crash leaves it stored."""
    alone = Database(database_url, pool_size=1)
    asking = _Asking(alone, shop)
    try:
        made = await connect_and_try(
            units_on(alone), OPERATOR, shop.tenant, Provider.STRIPE,
            settings={}, credentials={"api_key": "x"}, sealer=SEALER, connectors=asking,
        )  # fmt: skip
        await try_integration(units_on(alone), OPERATOR, shop.tenant, made.id, connectors=asking)
    finally:
        await alone.close()
    assert asking.asked == 2


async def test_one_that_failed_can_be_tried_and_one_that_ended_cannot(
    database: Database, shop: Shop, outside: httpx.AsyncClient
) -> None:
    connectors = ConnectorRegistry(SEALER, outside, allow_loopback=True)
    units = units_on(database)
    with stripe.stripe_server() as server:
        made = await connected(
            database, shop, outside, Provider.STRIPE, settings={"base_url": server.url}
        )
        async with units.of(shop.tenant) as work:
            await IntegrationRepository(work.connection, work.tenant).fail(
                made.id, "not_authorized", work.now, new_ulid, run_id=new_ulid()
            )

        tried = await try_integration(units, OPERATOR, shop.tenant, made.id, connectors=connectors)
    assert tried is None
    row = await only_row(database, integrations, of=shop)
    assert row["status"] == IntegrationStatus.ERROR, "somebody connects it anew"

    async with units.of(shop.tenant) as work:
        await disconnect_integration(work, OPERATOR, made.id)
    for gone in (made.id, new_ulid()):
        with pytest.raises(IntegrationNotFound):
            await try_integration(units, OPERATOR, shop.tenant, gone, connectors=connectors)


async def test_who_may_not(database: Database, shop: Shop, outside: httpx.AsyncClient) -> None:
    connectors = ConnectorRegistry(SEALER, outside, allow_loopback=True)
    for actor in (Actor.person(new_ulid(), Role.AGENT), Actor.key(shop.key_id)):
        with pytest.raises(RoleRequired):
            await try_integration(
                units_on(database), actor, shop.tenant, new_ulid(), connectors=connectors
            )
    assert await rows(database, integrations, of=shop) == []
