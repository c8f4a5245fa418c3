"""The demo's helpdesk is connected for as long as it answers."""

from adapters.seal import FernetSealer, new_seal_key
from adapters.system import utc_now
from demo.helpdesk import DemoDesk
from demo.hub import close_helpdesk, open_hub
from domain.core.ids import TenantId
from domain.integrations.providers import Provider
from store.core.database import Database
from store.integrations.integrations import IntegrationRepository
from tests.support.core.units import units_on
from tests.support.tenants.shop import Shop


async def test_the_helpdesk_is_disconnected_when_it_ends(database: Database, shop: Shop) -> None:
    """And one that was connected in its place is not."""
    sealer = FernetSealer(new_seal_key())
    old, new = (DemoDesk(f"http://127.0.0.1:{port}", "token", 500, utc_now) for port in (8, 9))
    for desk in (old, new):
        async with units_on(database).of(shop.tenant) as work:
            await open_hub(work, sealer, desk)

    await close_helpdesk(units_on(database), shop.tenant, old)
    assert await _connected(database, shop.tenant)
    await close_helpdesk(units_on(database), shop.tenant, new)
    assert not await _connected(database, shop.tenant)


async def _connected(database: Database, tenant: TenantId) -> bool:
    async with database.reading(tenant) as connection:
        repository = IntegrationRepository(connection, tenant)
        return await repository.connected_to(Provider.ZENDESK) is not None
