"""The progress of an erasure, from the heartbeats of one attempt to the next attempt."""

import asyncio
from dataclasses import replace

import pytest
import sqlalchemy as sa
from temporalio.testing import ActivityEnvironment

from activities.privacy.erase_customer import CustomerErasure
from adapters.system import new_ulid, utc_now
from domain.privacy.contracts import EraseInput
from store.intake.tables import engine_events
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row
from tests.support.privacy.erasing import asked
from tests.support.tenants.shop import Shop

pytestmark = pytest.mark.own_database

ANN = "ann@x.example"
DONE = {"events": None, "events of conversations": None, "events of sessions": None}


async def close(engine: LiveEngine, erasure: EraseInput, *heartbeats: object) -> list[object]:
    """Run an attempt after one with this heartbeat; return the heartbeats that it sends."""
    sent: list[object] = []
    attempt = ActivityEnvironment()
    attempt.info = replace(attempt.info, heartbeat_details=heartbeats)
    attempt.on_heartbeat = lambda *details: sent.extend(details)
    await attempt.run(engine.activities.erase.close, erasure)
    return sent


async def test_a_retry_reads_the_progress_of_the_last_heartbeat(
    idle_engine: LiveEngine, shop: Shop
) -> None:
    async with idle_engine.database.tenant(shop.tenant) as connection:
        await connection.execute(
            sa.insert(engine_events).values(
                client_id=shop.client_id, id=new_ulid(), event_type="x", outcome="no_playbook",
                payload={}, customer_email=ANN, received_at=utc_now(),
            )
        )  # fmt: skip
    erasure = asked(idle_engine, shop, ANN)

    await close(idle_engine, erasure, DONE)
    row = await only_row(idle_engine.database, engine_events)
    assert row["erased_at"] is None, "every stage was complete"

    await close(idle_engine, erasure)
    row = await only_row(idle_engine.database, engine_events)
    assert row["erased_at"] is not None


async def test_heartbeats_report_the_progress(
    idle_engine: LiveEngine, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = CustomerErasure.mark

    async def then_wait(erasure: CustomerErasure) -> int:
        under_way = await mark(erasure)
        await asyncio.sleep(1.5)
        return under_way

    monkeypatch.setattr(CustomerErasure, "mark", then_wait)

    sent = await close(idle_engine, asked(idle_engine, shop, ANN))

    assert sent[-1] == DONE
