"""The demo helpdesk is connected while it responds."""

from datetime import timedelta

import httpx

from adapters.connectors.registry import ConnectorRegistry
from adapters.seal import FernetSealer, new_seal_key
from adapters.system import utc_now
from demo.helpdesk import DemoDesk
from demo.hub import close_helpdesk, open_hub
from domain.core.ids import TenantId
from domain.inbound.polling import POLLED
from domain.integrations.providers import Provider
from store.core.database import Database
from store.inbound.poll_cursors import polled_connections
from store.integrations.integrations import IntegrationRepository
from tests.support.core.units import units_on
from tests.support.tenants.shop import Shop


async def test_the_helpdesk_is_disconnected_when_it_ends(database: Database, shop: Shop) -> None:
    """A connection that replaced it is not disconnected."""
    sealer = FernetSealer(new_seal_key())
    old, new = (DemoDesk(f"http://127.0.0.1:{port}", "token", 500, utc_now) for port in (8, 9))
    for desk in (old, new):
        async with units_on(database).of(shop.tenant) as work:
            await open_hub(work, sealer, desk)

    await close_helpdesk(units_on(database), shop.tenant, old)
    assert await _connected(database, shop.tenant)
    await close_helpdesk(units_on(database), shop.tenant, new)
    assert not await _connected(database, shop.tenant)


async def test_every_poll_of_the_demo_succeeds(database: Database, shop: Shop) -> None:
    """Its Shopify connection has no credentials and is not polled; its helpdesk is polled
    successfully."""
    sealer = FernetSealer(new_seal_key())
    desk = DemoDesk("http://127.0.0.1:9", "token", 500, utc_now)
    async with units_on(database).of(shop.tenant) as work:
        await open_hub(work, sealer, desk)
    async with database.service() as connection:
        found = await polled_connections(
            connection, POLLED, after=(shop.client_id, ""), limit=len(POLLED)
        )
    (polled,) = [one for one in found if one.tenant == shop.tenant]
    assert polled.integration.provider is Provider.ZENDESK

    desk.open("paul@example.com", "Livraison", "Combien ?")
    transport = httpx.ASGITransport(desk.application())
    async with httpx.AsyncClient(transport=transport) as http:
        poller = ConnectorRegistry(sealer, http, allow_loopback=True).poller(polled.integration)
        first = await poller.changes({}, polled.connected_at - timedelta(minutes=1))
        assert len(first.changes) == 1
        again = await poller.changes(first.position, polled.connected_at)
    assert (again.changes, again.has_more) == ((), False)


async def _connected(database: Database, tenant: TenantId) -> bool:
    async with database.reading(tenant) as connection:
        repository = IntegrationRepository(connection, tenant)
        return await repository.connected_to(Provider.ZENDESK) is not None
