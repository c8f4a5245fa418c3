"""Deadlocks and serialization failures: a clean rejection or a bounded retry, and one effect."""

import asyncio

import psycopg
import pytest

from store.billing.tables import usage_counters, usage_ledger
from store.intake.tables import engine_events
from store.runs.tables import engine_messages, engine_runs
from tests.support.core.engine import GATEWAY, LiveEngine
from tests.support.core.postgres import as_owner
from tests.support.core.rows import only_row, row_counts, rows
from tests.support.core.waiting import eventually
from tests.support.tenants.shop import ORDER_QUESTION, Shop

pytestmark = pytest.mark.own_database

_AGAIN = {"idempotency-key": "the same"}


async def _post(engine: LiveEngine, shop: Shop) -> tuple[int, dict[str, str]]:
    answer = await engine.http.post(
        GATEWAY,
        json={"client_id": shop.client_id, "message": ORDER_QUESTION},
        headers=shop.headers | _AGAIN,
    )
    return answer.status_code, answer.json()


async def _kept(engine: LiveEngine) -> dict[str, int]:
    """Return the number of rows in each table, except for operator reports."""
    return {
        table: number
        for table, number in (await row_counts(engine.database)).items()
        if table != "error_reports"
    }


async def _counted_once(engine: LiveEngine, shop: Shop, *, before: int) -> None:
    """The repeated event has one of each record, in addition to earlier ones."""
    assert len(await rows(engine.database, engine_events)) == before + 1
    runs = await rows(engine.database, engine_runs)
    assert [run["status"] for run in runs] == ["completed"] * (before + 1)
    replies = await rows(engine.database, engine_messages, direction="outbound")
    assert len(replies) == before + 1
    assert len(await rows(engine.database, usage_ledger)) == before + 1
    assert (await only_row(engine.database, usage_counters))["tickets_used"] == before + 1


@pytest.mark.parametrize("victim", ["admission", "other"])
async def test_a_deadlock_with_an_admission(
    engine: LiveEngine, shop: Shop, database_url: str, victim: str
) -> None:
    """A transaction locks the counter and then needs the client's row, which the admission has
    locked."""
    assert (await engine.post(shop, message=ORDER_QUESTION)).status_code == 200
    before = await _kept(engine)
    async with await psycopg.AsyncConnection.connect(as_owner(database_url)) as other:
        # After the deadlock timeout, which is one second for the admission, it gives up.
        waits = "10s" if victim == "admission" else "10ms"
        await other.execute(f"SET deadlock_timeout = '{waits}'")
        await other.execute("SELECT * FROM usage_counters FOR UPDATE")
        call = asyncio.ensure_future(_post(engine, shop))
        await eventually(lambda: _somebody_waits(database_url))
        crossing = asyncio.ensure_future(other.execute("SELECT * FROM clients FOR UPDATE"))
        if victim == "admission":
            status, body = await call
            await crossing
            await other.rollback()
            assert (status, body["code"]) == (500, "engine_unavailable")
            assert await _kept(engine) == before
        else:
            with pytest.raises(psycopg.errors.DeadlockDetected):
                await crossing
            await other.rollback()
            assert (await call)[0] == 200

    status, body = await _post(engine, shop)

    assert (status, body["status"]) == (200, "completed")
    await _counted_once(engine, shop, before=1)


# A sequence value stays used after a rollback, so the first attempts fail.
_FAILS_AT_FIRST = """
    CREATE SEQUENCE tries;
    GRANT USAGE ON tries TO PUBLIC;
    CREATE FUNCTION fail_at_first() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF nextval('tries') <= {times} THEN
            RAISE EXCEPTION 'could not serialize' USING ERRCODE = '{state}';
        END IF;
        RETURN NULL;
    END $$;
    CREATE CONSTRAINT TRIGGER conflict AFTER {event} ON {table}
    INITIALLY {when} FOR EACH ROW EXECUTE FUNCTION fail_at_first();
"""


def _conflicts(database_url: str, **fault: object) -> None:
    with psycopg.connect(as_owner(database_url), autocommit=True) as owner:
        owner.execute(_FAILS_AT_FIRST.format(**fault))


@pytest.mark.parametrize("when", ["IMMEDIATE", "DEFERRED"])
async def test_a_serialization_failure_of_an_admission(
    engine: LiveEngine, shop: Shop, database_url: str, when: str
) -> None:
    """In a statement, or in response to the COMMIT."""
    fault = {"event": "INSERT", "table": "engine_events", "when": when}
    _conflicts(database_url, **fault, state="40001", times=1)
    before = await _kept(engine)

    status, body = await _post(engine, shop)

    assert (status, body["code"]) == (500, "engine_unavailable")
    assert await _kept(engine) == before
    assert (await _post(engine, shop))[0] == 200
    await _counted_once(engine, shop, before=0)


@pytest.mark.parametrize("state", ["40001", "40P01"])
async def test_a_conflict_of_a_run_is_tried_again(
    engine: LiveEngine, shop: Shop, database_url: str, state: str
) -> None:
    """The outcome is written by a step that Temporal retries; the caller does not notice."""
    fault = {"event": "UPDATE", "table": "engine_runs", "when": "DEFERRED"}
    _conflicts(database_url, **fault, state=state, times=2)

    status, body = await _post(engine, shop)

    assert (status, body["status"]) == (200, "completed")
    await _counted_once(engine, shop, before=0)


async def _somebody_waits(database_url: str) -> bool:
    async with await psycopg.AsyncConnection.connect(as_owner(database_url)) as connection:
        waiting = await connection.execute(
            "SELECT 1 FROM pg_stat_activity "
            "WHERE datname = current_database() AND wait_event_type = 'Lock'"
        )
        return await waiting.fetchone() is not None
