"""Messages that an earlier version normalized are added to the customer index."""

import pytest
import sqlalchemy as sa
from temporalio.testing import ActivityEnvironment

from activities.customers import sweep_customers
from activities.customers.sweep_customers import SweepCustomers
from adapters.system import new_ulid, utc_now
from domain.customers.customer_words import customer_words as words_of
from domain.runs.contracts import SweepInput, SweepResult
from store.core.database import Database
from store.customers.tables import customer_words, customers
from store.runs.tables import engine_messages
from tests.support.core.rows import rows
from tests.support.runs.conversation import admitted, filed, write
from tests.support.tenants.shop import Shop, open_shop

pytestmark = pytest.mark.own_database

NOTHING = SweepResult(picked_up=0)


async def as_before(database: Database) -> None:
    """Store the messages in the state of the version before the index existed."""
    async with database.service() as connection:
        await connection.execute(sa.update(engine_messages).values(normalized_key=None))
        await connection.execute(sa.delete(customers))


async def swept(database: Database) -> SweepResult:
    activity = SweepCustomers(database, new_ulid)
    return await ActivityEnvironment().run(activity.index, SweepInput(older_than_s=0))


async def test_stored_messages_make_the_index(database: Database, shop: Shop) -> None:
    ref = await admitted(database, shop, customer=None, now=utc_now())
    await filed(database, shop, ref, customer=" Jörg.Groß@B.example", now=utc_now())
    other = await open_shop(database)
    await write(database, other, customer="ann@x.example", now=utc_now())
    await write(database, other, key="widget:1", customer=None, now=utc_now())
    await admitted(database, other, customer="not.yet@normalized.example", now=utc_now())
    await as_before(database)

    assert await swept(database) == SweepResult(picked_up=3)
    assert await swept(database) == NOTHING

    (theirs,) = await rows(database, customers, of=shop)
    assert (theirs["key"], theirs["is_verified"]) == ("jörg.gross@b.example", True)
    words = {row["word"] for row in await rows(database, customer_words, of=shop)}
    assert words == {*words_of(None, theirs["key"])}
    assert [one["key"] for one in await rows(database, customers, of=other)] == ["ann@x.example"]


async def test_a_sweep_is_bounded_and_the_next_one_continues(
    database: Database, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        await write(
            database, shop, key=f"email:{number}", customer=f"c{number}@x.example", now=utc_now()
        )
    await as_before(database)
    monkeypatch.setattr(sweep_customers, "PAGES", 2)
    monkeypatch.setattr(sweep_customers, "PAGE", 1)
    monkeypatch.setattr("store.customers.customer_index.PAGE", 1)

    assert await swept(database) == SweepResult(picked_up=2)
    assert await swept(database) == SweepResult(picked_up=1)
    assert len(await rows(database, customers, of=shop)) == 3


async def test_a_message_that_is_being_processed_is_left_for_the_next_sweep(
    database: Database, shop: Shop
) -> None:
    await write(database, shop, customer="ann@x.example", now=utc_now())
    await as_before(database)
    async with database.tenant(shop.tenant) as connection:
        await connection.execute(sa.text("SELECT id FROM engine_messages FOR NO KEY UPDATE"))
        assert await swept(database) == NOTHING

    assert await swept(database) == SweepResult(picked_up=1)
