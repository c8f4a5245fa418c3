"""The demo shop's widget is set up through the ordinary use cases."""

from demo.widget import open_widget
from domain.tenants.actor import Actor
from domain.widget.widget import Widget, WidgetChange, unseal_widget_secret
from services.core.unit_of_work import UnitsOfWork
from services.widget.widget_settings import change_widget
from store.core.database import Database
from store.widget.widgets import WidgetRepository
from tests.support.core.units import units_on
from tests.support.tenants.shop import Shop
from tests.support.webhooks.webhooks import SEALER

BEFORE, NOW = "http://127.0.0.1:20001", "http://127.0.0.1:20002"
MERCHANTS = "https://shop.example"


async def kept(units: UnitsOfWork, shop: Shop) -> Widget:
    async with units.database.reading(shop.tenant) as connection:
        return await WidgetRepository(connection, shop.tenant).read()


async def test_set_up_once_and_led_to_where_the_storefront_is(
    database: Database, shop: Shop
) -> None:
    units = units_on(database)
    async with units.of(shop.tenant) as work:
        first = await open_widget(work, SEALER, BEFORE, before=None)
    async with units.of(shop.tenant) as work:
        widget = WidgetChange(allowed_origins=(BEFORE, MERCHANTS))
        await change_widget(work, Actor.system("a merchant"), widget)
    async with units.of(shop.tenant) as work:
        again = await open_widget(work, SEALER, NOW, before=BEFORE)
    there = await kept(units, shop)
    assert (again.key, again.secret) == (first.key, first.secret)
    assert there.allowed_origins == (MERCHANTS, NOW)
    assert unseal_widget_secret(SEALER, shop.tenant, there.sealed_secret or "") == first.secret


async def test_nothing_is_changed_where_all_is_as_it_was(database: Database, shop: Shop) -> None:
    units = units_on(database)
    async with units.of(shop.tenant) as work:
        await open_widget(work, SEALER, NOW, before=None)
    first = await kept(units, shop)
    async with units.of(shop.tenant) as work:
        await open_widget(work, SEALER, NOW, before=NOW)
    assert await kept(units, shop) == first
