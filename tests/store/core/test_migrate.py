"""Migrations under load: no caller waits long, and no migration is left incomplete."""

import asyncio
import os
import re
import signal
import time
from pathlib import Path

import psycopg
import pytest
import sqlalchemy as sa
from alembic.config import Config
from alembic.script import ScriptDirectory

from adapters.system import utc_now
from bench.full_database import fill
from bench.load import LoadShop
from store.core import migrate as migrations
from store.core.database import Database
from store.core.migrate import migrate
from store.runs.tables import engine_runs
from tests.support.core.command_line import begin
from tests.support.core.forks import ROOT
from tests.support.core.postgres import as_owner
from tests.support.core.waiting import eventually
from tests.support.intake.admission import admit_event
from tests.support.tenants.shop import Shop, open_shop

pytestmark = pytest.mark.own_database

_REVISION = """
import sqlalchemy as sa
from alembic import op
from migrations.online import create_index
revision, down_revision, branch_labels, depends_on = {name!r}, {follows!r}, None, None
def upgrade():
    {does}
"""
_COLUMN = "op.add_column('engine_runs', sa.Column('later', sa.Text))"
_INDEX = "create_index('ix_later', 'engine_messages', ['created_at'])"


class Version:
    """A future version of this program, with revisions after the current ones."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._last = ScriptDirectory.from_config(self.config("")).get_current_head()

    def config(self, database_url: str) -> Config:
        config = _today(database_url)
        places = (str(ROOT / "migrations" / "versions"), str(self._folder))
        config.set_main_option("version_locations", os.pathsep.join(places))
        return config

    def add(self, name: str, does: str) -> None:
        text = _REVISION.format(name=name, follows=self._last, does=does)
        (self._folder / f"{name}.py").write_text(text)
        self._last = name


_today = migrations.alembic_config


@pytest.fixture
def version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Version:
    version = Version(tmp_path)
    monkeypatch.setattr(migrations, "alembic_config", version.config)
    return version


async def _migrate(database_url: str) -> None:
    await asyncio.to_thread(migrate, as_owner(database_url))


def _owner(database_url: str) -> psycopg.Connection:
    return psycopg.connect(as_owner(database_url), autocommit=True)


def _index(owner: psycopg.Connection, name: str) -> tuple[bool, ...] | None:
    query = "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(%s)"
    return owner.execute(query, [name]).fetchone()


async def test_what_a_broken_off_build_left_is_built_anew(
    database_url: str, version: Version
) -> None:
    version.add("indexes", _INDEX)
    with _owner(database_url) as owner:
        owner.execute("CREATE INDEX ix_later ON engine_messages (created_at)")
        # The state after an index build failed.
        owner.execute(
            "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'ix_later'::regclass"
        )

        await _migrate(database_url)

        assert _index(owner, "ix_later") == (True,)


async def test_an_index_that_was_built_and_not_noted_stays(
    database_url: str, version: Version
) -> None:
    version.add("indexes", _INDEX)
    with _owner(database_url) as owner:
        owner.execute("CREATE INDEX ix_later ON engine_messages (created_at)")
        before = owner.execute("SELECT 'ix_later'::regclass::oid").fetchone()

        await _migrate(database_url)

        assert owner.execute("SELECT 'ix_later'::regclass::oid").fetchone() == before


async def test_a_revision_that_fails_undoes_none_before_it(
    database_url: str, version: Version
) -> None:
    version.add("column", _COLUMN)
    version.add("fails", "op.execute('SELECT 1 / 0')")
    with pytest.raises(sa.exc.DBAPIError):
        await _migrate(database_url)

    with _owner(database_url) as owner:
        noted = owner.execute("SELECT version_num FROM alembic_version").fetchone()
        assert noted == ("column",)
        owner.execute("SELECT later FROM engine_runs")


async def test_an_index_is_refused_after_something_that_would_be_done_twice(
    database_url: str, version: Version
) -> None:
    version.add("both", f"{_COLUMN}; {_INDEX}")
    with pytest.raises(RuntimeError, match="ix_later needs a separate revision"):
        await _migrate(database_url)


async def test_two_migrate_at_once_beside_an_old_transaction(
    database_url: str, version: Version
) -> None:
    """The index build waits for the transaction, the second migration for the first, and nobody
    forever."""
    version.add("indexes", _INDEX)
    with _owner(database_url) as owner, psycopg.connect(as_owner(database_url)) as old:
        # Its snapshot would show rows that the index lacks.
        old.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        old.execute("SELECT 1")
        both = [asyncio.ensure_future(_migrate(database_url)) for _ in range(2)]

        async def builds() -> bool:
            return _waiting(owner, "CREATE INDEX CONCURRENTLY%") == 1

        async def waits() -> bool:
            asked = (
                "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_try_advisory_lock%'"
            )
            return owner.execute(asked + " AND datname = current_database()").fetchone() == (3,)

        await eventually(builds)
        await eventually(waits)
        old.rollback()
        await asyncio.wait_for(asyncio.gather(*both), 30)
        assert _index(owner, "ix_later") == (True,)


@pytest.mark.slow
async def test_one_that_waits_says_so_and_ends_by_ctrl_c(database_url: str) -> None:
    asked = (
        "SELECT query_start FROM pg_stat_activity WHERE query LIKE '%pg_try_advisory_lock%'"
        " AND datname = current_database() AND pid <> pg_backend_pid()"
    )
    starts = set()
    with _owner(database_url) as owner:
        owner.execute("SELECT pg_advisory_lock(%s)", [migrations._MIGRATION_LOCK])
        command = begin("migrate", DATABASE_URL=as_owner(database_url))

        async def waits() -> bool:
            """The message is logged between its first and second attempt."""
            starts.update(owner.execute(asked).fetchall())
            return len(starts) > 1

        await eventually(waits)
        command.send(signal.SIGINT)
        ended = await asyncio.to_thread(command.ended)
    assert ended.returncode == 130
    assert "another migration is running" in ended.stderr


def _waiting(owner: psycopg.Connection, statement: str) -> int:
    query = (
        "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE %s"
        " AND datname = current_database()"
    )
    row = owner.execute(query, [statement]).fetchone()
    return int(row[0]) if row else 0


def test_revisions_build_the_indexes_of_old_tables_online() -> None:
    for revision in ScriptDirectory.from_config(_today("")).walk_revisions():
        text = Path(revision.path).read_text()
        made = set(re.findall(r'create_table\(\s*"(\w+)"', text))
        indexed = re.findall(r'op\.create_index\(\s*(?:op\.f\()?"\w+"\)?,\s*"(\w+)"', text)
        assert len(indexed) == text.count("op.create_index("), revision.path
        assert set(indexed) <= made, f"{revision.path}: migrations/online.py builds it"


_CALLERS = 16
# A caller waits as long as the migration waits for its lock; the rest is the machine's share.
_STALL_S = 1.5 + 1.0
# A client's hourly limit is 200.
_EACH = 180


class Caller:
    """Admits events to its shop and reads its runs, one call after another."""

    def __init__(self, database: Database, shop: Shop) -> None:
        self._database = database
        self._shop = shop
        self.longest_s = 0.0
        self.calls = 0

    async def call(self, ended: asyncio.Event) -> None:
        while not ended.is_set():
            began = time.monotonic()
            if self.calls < _EACH:
                await admit_event(self._database, self._shop, message="x")
            async with self._database.reading(self._shop.tenant) as connection:
                count = sa.select(sa.func.count()).select_from(engine_runs)
                assert await connection.scalar(count) == min(self.calls + 1, _EACH)
            self.calls += 1
            self.longest_s = max(self.longest_s, time.monotonic() - began)


@pytest.mark.slow
@pytest.mark.alone
async def test_sixteen_callers_go_on_while_a_filled_database_is_migrated(
    database_url: str, version: Version
) -> None:
    """A column and an index of the busiest tables, with a reader that blocks the column."""
    version.add("column", _COLUMN)
    version.add("indexes", _INDEX)
    database = Database(database_url, pool_size=_CALLERS)
    shops = [await open_shop(database) for _ in range(_CALLERS)]
    filled = tuple(LoadShop(client_id=shop.client_id, key=shop.key) for shop in shops[:1])
    fill(as_owner(database_url), filled, now=utc_now(), clients=200, messages=50_000)
    callers = [Caller(database, shop) for shop in shops[1:]]
    ended = asyncio.Event()

    with _owner(database_url) as owner, psycopg.connect(as_owner(database_url)) as reader:
        reader.execute("SELECT FROM engine_runs LIMIT 1")  # an open transaction, a lock
        under_way = asyncio.gather(*(caller.call(ended) for caller in callers))

        async def column_waits() -> bool:
            return _waiting(owner, "ALTER TABLE engine_runs%") > 0

        async def column_gave_up() -> bool:
            return _waiting(owner, "ALTER TABLE engine_runs%") == 0

        migrating = asyncio.ensure_future(_migrate(database_url))
        for _ in range(2):
            await eventually(column_waits)
            await eventually(column_gave_up)
        reader.rollback()
        await asyncio.wait_for(migrating, 60)
        ended.set()
        await under_way

        assert _index(owner, "ix_later") == (True,)
        owner.execute("SELECT later FROM engine_runs LIMIT 1")
    assert min(caller.calls for caller in callers) > 1
    assert max(caller.longest_s for caller in callers) < _STALL_S
    await database.close()
