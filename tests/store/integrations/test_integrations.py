"""Integrations: one live connection per provider, each end reported once, no secret left behind."""

import asyncio

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from adapters.system import new_ulid, utc_now
from domain.integrations.errors import IntegrationNotFound, UnknownProvider
from domain.integrations.integration import Integration, IntegrationStatus
from domain.integrations.providers import Provider
from store.core.database import Database
from store.integrations.integrations import IntegrationRepository, client_of
from store.integrations.tables import integrations
from store.webhooks.tables import outbox, webhook_deliveries
from tests.support.core.rows import only_row, rows
from tests.support.tenants.shop import Shop, open_shop
from tests.support.webhooks.told import told_events
from tests.support.webhooks.webhooks import subscribe
from workflows.failure import OUTAGE


async def connect(database: Database, shop: Shop, provider: Provider = Provider.ZENDESK) -> str:
    integration = Integration(
        id=new_ulid(), provider=provider, settings={"subdomain": "acme"}, sealed="SEALED"
    )
    async with database.tenant(shop.tenant) as connection:
        await IntegrationRepository(connection, shop.tenant).connect(
            integration, utc_now(), new_ulid
        )
    return integration.id


async def fail(database: Database, shop: Shop, integration_id: str) -> None:
    async with database.tenant(shop.tenant) as connection:
        await IntegrationRepository(connection, shop.tenant).fail(
            integration_id, "not_authorized", utc_now(), new_ulid, run_id=new_ulid()
        )


async def disconnect(database: Database, shop: Shop, integration_id: str) -> tuple[str, ...]:
    """Disconnect; return the ids of the deliveries to send."""
    async with database.tenant(shop.tenant) as connection:
        return await IntegrationRepository(connection, shop.tenant).disconnect(
            integration_id, utc_now(), new_ulid
        )


async def live(database: Database, shop: Shop) -> list[str]:
    async with database.tenant(shop.tenant) as connection:
        found = await IntegrationRepository(connection, shop.tenant).connected()
    return [integration.id for integration in found]


async def told(database: Database, shop: Shop) -> list[tuple[str, str, str | None]]:
    """Return event, integration and reason, in order."""
    return [
        (one.event, one.data["integration_id"], one.data.get("reason"))
        for one in await told_events(database, client_id=shop.client_id)
    ]


async def test_connected_and_ended(database: Database, shop: Shop) -> None:
    zendesk = await connect(database, shop)
    stripe = await connect(database, shop, Provider.STRIPE)
    assert await live(database, shop) == [zendesk, stripe]

    for _ in range(2):
        await disconnect(database, shop, zendesk)

    assert await live(database, shop) == [stripe]
    assert await told(database, shop) == [
        ("integration.connected", zendesk, "connected"),
        ("integration.connected", stripe, "connected"),
        ("integration.disconnected", zendesk, "disconnected"),
    ]
    row = await only_row(database, integrations, id=zendesk)
    assert (row["status"], row["sealed"]) == ("disconnected", "")
    assert row["disconnected_at"] >= row["connected_at"]


async def store_unknown(database: Database, shop: Shop) -> str:
    """Create a connection as a later version would."""
    integration_id = new_ulid()
    async with database.tenant(shop.tenant) as connection:
        await connection.execute(
            sa.insert(integrations).values(
                client_id=shop.client_id,
                id=integration_id,
                provider="magento",
                status=IntegrationStatus.CONNECTED,
                settings={"shop": "acme"},
                sealed="SEALED",
                connected_at=utc_now(),
            )
        )
    return integration_id


async def test_a_provider_of_another_version(database: Database, shop: Shop) -> None:
    """Errors name the provider; the connection is unchanged, and can be ended."""
    await connect(database, shop)
    unknown = await store_unknown(database, shop)
    before = await only_row(database, integrations, id=unknown)

    async with database.tenant(shop.tenant) as connection:
        repository = IntegrationRepository(connection, shop.tenant)
        for read in (
            repository.connected(),
            repository.entries(),
            repository.page(after=None, limit=10),
            repository.entry(unknown),
        ):
            with pytest.raises(UnknownProvider, match=f"{unknown}.*magento"):
                await read
    assert await only_row(database, integrations, id=unknown) == before
    # The outcome of a run that needs it.
    assert UnknownProvider.retryable
    assert UnknownProvider.code in OUTAGE

    await disconnect(database, shop, unknown)
    assert len(await live(database, shop)) == 1
    assert (await told(database, shop))[-1] == ("integration.disconnected", unknown, "disconnected")


async def test_connected_anew(database: Database, shop: Shop) -> None:
    first = await connect(database, shop)
    second = await connect(database, shop)

    assert await live(database, shop) == [second]
    assert (await only_row(database, integrations, id=first))["sealed"] == ""
    assert await told(database, shop) == [
        ("integration.connected", first, "connected"),
        ("integration.disconnected", first, "replaced"),
        ("integration.connected", second, "reconnected"),
    ]


async def test_it_fails_once(database: Database, shop: Shop) -> None:
    """However many actions are rejected, and whatever follows."""
    integration_id = await connect(database, shop)
    await asyncio.gather(*(fail(database, shop, integration_id) for _ in range(5)))

    assert await live(database, shop) == []
    async with database.tenant(shop.tenant) as connection:
        (entry,) = await IntegrationRepository(connection, shop.tenant).entries()
    assert (entry.status, entry.error_code) == (IntegrationStatus.ERROR, "not_authorized")

    await disconnect(database, shop, integration_id)
    assert await told(database, shop) == [
        ("integration.connected", integration_id, "connected"),
        ("integration.disconnected", integration_id, "not_authorized"),
    ]


async def test_a_late_failure_does_not_touch_what_came_after(
    database: Database, shop: Shop
) -> None:
    first = await connect(database, shop)
    second = await connect(database, shop)
    await fail(database, shop, first)

    assert await live(database, shop) == [second]
    assert (await only_row(database, integrations, id=first))["status"] == "disconnected"


@pytest.mark.own_database
async def test_what_failed_has_been_told_and_is_not_told_when_it_is_replaced(
    database: Database, shop: Shop
) -> None:
    """By its row: the content of the outbox does not matter."""
    first = await connect(database, shop)
    await fail(database, shop, first)
    async with database.service() as connection:
        await connection.execute(sa.delete(outbox))
    second = await connect(database, shop)

    assert await told(database, shop) == [("integration.connected", second, "reconnected")]
    row = await only_row(database, integrations, id=first)
    assert (row["status"], row["sealed"]) == ("disconnected", "")


async def test_who_sends_what_is_told(database: Database, shop: Shop) -> None:
    """The caller sends events about users' actions, and the run sends its own."""
    await subscribe(database, shop)
    integration = Integration(id=new_ulid(), provider=Provider.ZENDESK, sealed="SEALED")
    async with database.tenant(shop.tenant) as connection:
        repository = IntegrationRepository(connection, shop.tenant)
        connected = await repository.connect(integration, utc_now(), new_ulid)
        replacing = await repository.connect(
            integration.model_copy(update={"id": new_ulid()}), utc_now(), new_ulid
        )
    other = await connect(database, shop, Provider.STRIPE)
    await fail(database, shop, other)
    nothing = await disconnect(database, shop, other)

    assert (len(connected), len(replacing), nothing) == (1, 2, ())
    deliveries = sorted(
        await rows(database, webhook_deliveries, of=shop), key=lambda one: str(one["id"])
    )
    assert [(one["event"], one["run_id"] is None) for one in deliveries] == [
        ("integration.connected", True),
        ("integration.disconnected", True),
        ("integration.connected", True),
        ("integration.connected", True),
        ("integration.disconnected", False),
    ]
    assert [one["id"] for one in deliveries[:3]] == [*connected, *replacing]


async def test_two_connect_at_once(database: Database, shop: Shop) -> None:
    """One of them exists at the end, and never both."""
    outcomes = await asyncio.gather(
        *(connect(database, shop) for _ in range(5)), return_exceptions=True
    )

    assert len(await live(database, shop)) == 1
    assert all(isinstance(outcome, str | IntegrityError) for outcome in outcomes)


async def test_whose_it_is(database: Database, shop: Shop) -> None:
    other = await open_shop(database)
    mine = await connect(database, shop)

    await fail(database, other, mine)
    await disconnect(database, other, mine)
    assert await live(database, shop) == [mine]
    assert await live(database, other) == []
    async with database.service() as connection:
        assert await client_of(connection, mine) == shop.tenant
        with pytest.raises(IntegrationNotFound):
            await client_of(connection, new_ulid())
