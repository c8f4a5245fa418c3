"""Waiting work in the database: counted over all clients, with partial indexes."""

import asyncio
import re

import pytest
import sqlalchemy as sa

from adapters.seal import FernetSealer
from adapters.system import utc_now
from store.analytics.backlog import Backlog, backlog_query, read_backlog
from store.core.database import Database
from store.runs.tables import engine_runs
from tests.support.core.engine import LiveEngine
from tests.support.core.waiting import eventually
from tests.support.tenants.shop import ORDER_QUESTION, UNSURE_MESSAGE, Shop
from tests.support.webhooks.webhooks import subscribe


async def found(engine: LiveEngine) -> Backlog:
    async with engine.database.reading_across() as connection:
        return await read_backlog(connection)


@pytest.mark.own_database
async def test_what_waits_is_counted(idle_engine: LiveEngine, shop: Shop) -> None:
    before = await found(idle_engine)
    sealer = FernetSealer(idle_engine.settings.seal.key.get_secret_value())
    await subscribe(
        idle_engine.database, shop, url="https://127.0.0.1:1/", events=("*",), sealer=sealer
    )
    async with idle_engine.working():
        parked = await idle_engine.post(shop, message=UNSURE_MESSAGE)

    async def left() -> Backlog | None:
        now = await found(idle_engine)
        return now if now.received_runs else None

    began = utc_now()
    call = asyncio.ensure_future(idle_engine.post(shop, message=ORDER_QUESTION))
    waiting = await eventually(left)
    async with idle_engine.database.service() as connection:
        received = sa.update(engine_runs).where(engine_runs.c.status == "received")
        await connection.execute(received.values(model_fault="outage"))
    patient = await found(idle_engine)
    async with idle_engine.database.service() as connection:
        await connection.execute(received.values(model_fault=None))
    async with idle_engine.working():
        await call
    after = await found(idle_engine)

    assert parked.json()["status"] == "needs_review"
    assert before == Backlog(0, None, 0, 0, 0, None)
    assert (waiting.received_runs, waiting.open_reviews) == (1, 1)
    assert waiting.oldest_received is not None
    assert (patient.received_runs, patient.oldest_received) == (0, None)
    assert began <= waiting.oldest_received <= utc_now()
    assert waiting.pending_deliveries >= 1  # nobody sends them
    assert (after.received_runs, after.oldest_received) == (0, None)
    assert after.pending_deliveries > waiting.pending_deliveries


async def test_each_part_has_an_index(own_database: Database) -> None:
    """With sequential scans disabled, none remains in the plan. It has its own database, because
    the planner's choice depends on other tests' rows."""
    query = backlog_query().compile(own_database.engine, compile_kwargs={"literal_binds": True})
    async with own_database.reading_across() as connection:
        await connection.exec_driver_sql("SET LOCAL enable_seqscan = off")
        rows = await connection.execute(sa.text(f"EXPLAIN {query}"))
        plan = "\n".join(row[0] for row in rows)

    used = set(re.findall(r"(?:using|Bitmap Index Scan on) (\w+)", plan))
    assert used == {
        "ix_engine_runs_received",
        "ix_inbound_webhooks_unfinished",
        "ix_escalation_tickets_undecided",
        "ix_webhook_deliveries_pending",
    }, plan
