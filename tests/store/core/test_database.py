"""Transactions: commits, rollbacks, and the state of a returned connection."""

import asyncio
import time
from contextlib import suppress

import psycopg
import pytest
import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from domain.core.errors import EngineUnavailable
from store.core.database import PATIENCE_S, Database
from store.tenants.tables import users
from tests.support.core.postgres import as_owner
from tests.support.core.rows import row_counts
from tests.support.tenants.shop import Shop

pytestmark = pytest.mark.own_database


async def _insert_user(database: Database, name: str) -> None:
    async with database.service() as connection:
        await connection.execute(
            sa.insert(users).values(id=name, email=name, created_at=sa.func.now())
        )


async def test_a_transaction_that_failed_inside_is_not_committed_in_silence(
    database: Database,
) -> None:
    async def swallow_an_error() -> None:
        async with database.service() as connection:
            await connection.execute(
                sa.insert(users).values(id="u", email="u", created_at=sa.func.now())
            )
            with suppress(DBAPIError):
                await connection.execute(sa.text("SELECT 1 / 0"))

    with pytest.raises(RuntimeError, match="cannot be committed"):
        await swallow_an_error()

    assert (await row_counts(database))["users"] == 0


@pytest.mark.parametrize("way", ["raises", "cancelled"])
async def test_a_block_that_breaks_off_leaves_nothing(
    database_url: str, shop: Shop, way: str
) -> None:
    """No row, open transaction, tenant or other role, on the same connection."""
    database = Database(database_url, pool_size=1)
    inside = asyncio.Event()

    async def work() -> None:
        async with database.service() as connection:
            await connection.execute(
                sa.insert(users).values(id="u", email="u", created_at=sa.func.now())
            )
            inside.set()
            if way == "raises":
                raise LookupError
            await asyncio.Event().wait()

    task = asyncio.ensure_future(work())
    await inside.wait()
    if way == "cancelled":
        task.cancel()
    with pytest.raises((LookupError, asyncio.CancelledError)):
        await task

    async with database.unscoped() as connection:
        state = (
            await connection.execute(
                sa.text("SELECT current_user, current_setting('app.client_id', true), now()")
            )
        ).one()
        later = await connection.scalar(sa.text("SELECT now()"))
    assert state[0] == "engine_app"
    assert not state[1]
    assert later > state[2], "no transaction is open: its time would stand still"
    assert (await row_counts(database))["users"] == 1, "the shop's owner alone"
    await database.close()


@pytest.mark.alone
async def test_a_value_that_is_too_large_is_no_outage(database: Database) -> None:
    """The driver reports it like an outage. A step that treated it as one was retried forever."""

    async def insert() -> None:
        async with database.service() as connection:
            await connection.execute(
                sa.text("CREATE TEMPORARY TABLE long (name text PRIMARY KEY) ON COMMIT DROP")
            )
            await connection.execute(
                sa.text(
                    "INSERT INTO long SELECT string_agg(md5(n::text), '')"
                    " FROM generate_series(1, 1000) n"
                )
            )

    with pytest.raises(sa.exc.OperationalError):
        await insert()


async def test_the_wait_for_a_connection_is_within_the_patience(database_url: str) -> None:
    database = Database(database_url, pool_size=1)
    async with database.unscoped():
        began = time.monotonic()
        with pytest.raises(EngineUnavailable):
            async with database.service():
                pass
        assert time.monotonic() - began < PATIENCE_S + 1
    await database.close()


async def test_a_lock_is_seen_through_whatever_the_servers_default_isolation(
    database: Database, database_url: str
) -> None:
    async with await psycopg.AsyncConnection.connect(
        as_owner(database_url), autocommit=True
    ) as connection:
        name = connection.info.dbname
        await connection.execute(
            f'ALTER DATABASE "{name}" SET default_transaction_isolation TO "serializable"'
        )
    fresh = Database(database_url)
    async with fresh.service() as connection:
        assert await connection.scalar(sa.text("SHOW transaction_isolation")) == "read committed"
    await fresh.close()
