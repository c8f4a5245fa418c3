"""Sweeps and nightly jobs use indexes too if there is almost nothing to do."""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from sqlalchemy import event
from temporalio.testing import ActivityEnvironment

from activities.customers.sweep_customers import SweepCustomers
from activities.privacy.prune import Prune
from activities.privacy.retain import Retain
from activities.reviews.sweep_reviews import SweepReviews
from activities.runs.sweep import SweepRuns
from activities.webhooks.sweep_deliveries import SweepDeliveries
from adapters.system import new_ulid, utc_now
from bench.full_database import fill
from bench.load import LoadShop
from domain.privacy.contracts import HousekeepingInput, RetentionInput
from domain.runs.contracts import SweepInput
from store.core.database import SERVICE_ROLE, Database
from tests.activities.runs.test_sweep import Engine
from tests.support.core.postgres import as_owner
from tests.support.tenants.shop import open_shop

_ROWS = 6_000
# 6,000 rows per table from today, none of which needs processing.
_MORE = """
    SET session_replication_role = replica;
    INSERT INTO idempotency_keys (client_id, key, body_digest, event_id, created_at)
    SELECT client_id, id, '', event_id, now() FROM engine_runs;
    INSERT INTO inbound_webhooks
        (client_id, id, integration_id, provider, dedup_key, body_digest, topic, kind, state,
         created_at)
    SELECT client_id, id, 'i', 'shopify', id, '', 'orders/create', 'fact', 'done', now()
    FROM engine_runs;
    INSERT INTO error_reports (id, place, code, created_at)
    SELECT id, 'p', 'c', now() FROM engine_runs;
    INSERT INTO outbox (client_id, id, event, dedup_key, body, created_at)
    SELECT client_id, id, 'ticket.resolved', id, NULL, now() FROM engine_runs;
    INSERT INTO escalation_tickets
        (client_id, id, run_id, round, status, reason, draft, expires_at, created_at, decided_at,
         decision, taken_up_at)
    SELECT client_id, id, id, 0, 'approved', 'low_confidence', '', now(), now(), now(), 'approve',
           now()
    FROM engine_runs;
    ANALYZE;
"""


# By statement text, with the parameters of the last call.
@contextmanager
def _caught(database: Database) -> Iterator[dict[str, Any]]:
    found: dict[str, Any] = {}

    def keep(_: object, __: object, statement: str, parameters: object, *___: object) -> None:
        found[statement] = parameters

    engine = database.engine.sync_engine
    event.listen(engine, "before_cursor_execute", keep)
    try:
        yield found
    finally:
        event.remove(engine, "before_cursor_execute", keep)


def _read_whole(plan: dict[str, Any]) -> Iterator[str]:
    if plan["Node Type"] == "Seq Scan":
        yield plan["Relation Name"]
    for inner in plan.get("Plans", ()):
        yield from _read_whole(inner)


@pytest.mark.slow
async def test_no_statement_of_sweeps_and_nights_reads_a_large_table_whole(
    database: Database, database_url: str
) -> None:
    shop = await open_shop(database)
    filled = (LoadShop(client_id=shop.client_id, key=shop.key),)
    fill(as_owner(database_url), filled, now=utc_now(), clients=30, messages=_ROWS)
    with psycopg.connect(as_owner(database_url), autocommit=True) as owner:
        owner.execute(_MORE)
    sweeps = SweepRuns(database, Engine(), utc_now)
    step = SweepInput()
    run = ActivityEnvironment().run
    with _caught(database) as statements:
        await run(sweeps.start_received, step)
        await run(sweeps.wake_decided, step)
        await run(SweepReviews(database, utc_now, new_ulid).expire_overdue, step)
        await run(SweepDeliveries(database, Engine(), utc_now, random.random).send_left, step)
        await run(SweepCustomers(database, new_ulid).index, step)
        await run(Prune(database, utc_now).prune, HousekeepingInput())
        await run(Retain(database, utc_now).retain, RetentionInput())

    missed: dict[str, set[str]] = {}
    with psycopg.connect(as_owner(database_url), cursor_factory=psycopg.ClientCursor) as owner:
        owner.execute(f"SET ROLE {SERVICE_ROLE}".encode())
        for statement, parameters in statements.items():
            row = owner.execute(
                f"EXPLAIN (FORMAT JSON) {statement}".encode(), parameters
            ).fetchone()
            assert row is not None
            for table in _read_whole(row[0][0]["Plan"]):
                size = owner.execute(
                    "SELECT reltuples FROM pg_class WHERE relname = %s", [table]
                ).fetchone()
                if size is not None and size[0] > 1_000:
                    missed.setdefault(table, set()).add(statement)
    assert len(statements) > 20
    assert missed == {}
