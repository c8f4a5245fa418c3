"""The unit of work: its deferred work starts once, after the commit, and never without one."""

import pytest
import sqlalchemy as sa
from psycopg.errors import ReadOnlySqlTransaction
from sqlalchemy.exc import DBAPIError

from domain.core.contracts import RunRef
from store.core.database import Database
from tests.support.core.units import Recorder, units_on
from tests.support.tenants.shop import Shop

REF = RunRef(client_id="c", event_id="e", run_id="r")


async def test_starts_after_the_commit(database: Database, shop: Shop) -> None:
    engine = Recorder()
    units = units_on(database, engine)
    async with units.of(shop.tenant) as work:
        work.deliver("d1")
        work.deliver("d2")
        work.wake(REF, "review")
        assert (engine.sent, engine.woken) == ([], [])
    assert (engine.sent, engine.woken) == (["d1", "d2"], [(REF, "review")])


async def test_nothing_starts_where_nothing_is_committed(database: Database, shop: Shop) -> None:
    engine = Recorder()
    units = units_on(database, engine)

    async def fail() -> None:
        async with units.of(shop.tenant) as work:
            work.deliver("d1")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail()
    assert engine.sent == []


async def test_a_dry_run_keeps_and_starts_nothing(database: Database, shop: Shop) -> None:
    engine = Recorder()
    async with units_on(database, engine).of(shop.tenant, dry_run=True) as work:
        await work.connection.execute(sa.text("UPDATE clients SET brand_name = 'tried'"))
        work.deliver("d1")
    assert engine.sent == []
    async with database.reading(shop.tenant) as connection:
        assert await connection.scalar(sa.text("SELECT brand_name FROM clients")) != "tried"


async def test_an_engine_that_is_away_undoes_nothing(database: Database, shop: Shop) -> None:
    units = units_on(database, Recorder(away=True))
    async with units.of(shop.tenant) as work:
        await work.connection.execute(sa.text("UPDATE clients SET brand_name = 'kept'"))
        work.deliver("d1")
        work.wake(REF, "review")
    async with database.reading(shop.tenant) as connection:
        assert await connection.scalar(sa.text("SELECT brand_name FROM clients")) == "kept"


@pytest.mark.parametrize("across", [False, True])
async def test_who_reads_cannot_write(database: Database, shop: Shop, *, across: bool) -> None:
    async def write() -> None:
        reading = database.reading_across() if across else database.reading(shop.tenant)
        async with reading as connection:
            await connection.execute(sa.text("UPDATE clients SET brand_name = 'written'"))

    with pytest.raises(DBAPIError) as refused:
        await write()
    assert isinstance(refused.value.orig, ReadOnlySqlTransaction)


async def test_whether_a_run_has_heard_is_known_afterwards(database: Database, shop: Shop) -> None:
    for away, heard in ((False, {"review"}), (True, set())):
        async with units_on(database, Recorder(away=away)).of(shop.tenant) as work:
            work.wake(REF, "review")
            assert work.woken == set()
        assert work.woken == heard
