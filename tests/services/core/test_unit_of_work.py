"""The unit of work: what it leaves to be done starts once, after the commit, and never without."""

from collections.abc import Sequence

import pytest
import sqlalchemy as sa
from psycopg.errors import ReadOnlySqlTransaction
from sqlalchemy.exc import DBAPIError

from adapters.system import new_ulid, utc_now
from domain.core.contracts import RunRef
from domain.core.errors import EngineUnavailable
from domain.runs.contracts import ProcessEventInput
from services.core.unit_of_work import UnitsOfWork
from store.core.database import Database
from tests.support.tenants.shop import Shop


class Recorder:
    """An engine that keeps what it is asked, or is away."""

    def __init__(self, *, away: bool = False) -> None:
        self.away = away
        self.sent: list[str] = []
        self.woken: list[str] = []

    async def start(self, event: ProcessEventInput) -> bool:
        raise AssertionError(event)

    async def wake(self, ref: RunRef, escalation_id: str) -> bool:
        assert ref == REF
        self._answer()
        self.woken.append(escalation_id)
        return True

    async def send_webhooks(self, client_id: str, delivery_ids: Sequence[str]) -> None:
        assert client_id
        self._answer()
        self.sent += delivery_ids

    def _answer(self) -> None:
        if self.away:
            raise EngineUnavailable("away")


REF = RunRef(client_id="c", event_id="e", run_id="r")


async def test_starts_after_the_commit(database: Database, shop: Shop) -> None:
    engine = Recorder()
    units = UnitsOfWork(database, engine, utc_now, new_ulid)
    async with units.of(shop.tenant) as work:
        work.deliver("d1")
        work.deliver("d2")
        work.wake(REF, "review")
        assert (engine.sent, engine.woken) == ([], [])
    assert (engine.sent, engine.woken) == (["d1", "d2"], ["review"])


async def test_nothing_starts_where_nothing_is_committed(database: Database, shop: Shop) -> None:
    engine = Recorder()
    units = UnitsOfWork(database, engine, utc_now, new_ulid)

    async def fail() -> None:
        async with units.of(shop.tenant) as work:
            work.deliver("d1")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail()
    assert engine.sent == []


async def test_an_engine_that_is_away_undoes_nothing(database: Database, shop: Shop) -> None:
    units = UnitsOfWork(database, Recorder(away=True), utc_now, new_ulid)
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
