"""The whole service under load while its parts are killed at random: no acknowledged event is lost,
nothing happens twice, and all counters agree.

`SOAK_S=1800` extends the duration; `SOAK_SEED` repeats the random choices.
"""

import asyncio
import os
import random
import secrets
import sys
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from embedded.ports import free_port
from store.billing.tables import usage_counters, usage_ledger
from store.core.database import Database
from store.intake.tables import idempotency_keys
from store.reviews.tables import escalation_tickets
from store.runs.tables import engine_messages, engine_runs
from store.webhooks.tables import outbox, webhook_deliveries
from tests.support.core.engine import LiveEngine, live_engine
from tests.support.core.own_postgres import own_postgres
from tests.support.core.rows import rows
from tests.support.core.soak import Callers, Faults, OwnTemporal, Stack, running
from tests.support.core.waiting import eventually
from tests.support.servers.webhook_receiver import WebhookReceiver, webhook_receiver
from tests.support.tenants.shop import open_shop
from tests.support.webhooks.webhook_engine import subscribed

SOAK_S = float(os.environ.get("SOAK_S", "30"))
SEED = int(os.environ.get("SOAK_SEED") or 0) or secrets.randbits(32)

pytestmark = [pytest.mark.slow, pytest.mark.alone, pytest.mark.timeout(SOAK_S + 240)]

# A shop can send 200 messages an hour.
_SHOPS = 6 + round(SOAK_S / 15)
_RECOVERS_WITHIN_S = 90.0
# Pool connections beyond the warm-up; a leak of one per call would be hundreds.
_MORE_FILES = 25


@dataclass
class Soak:
    callers: Callers
    faults: Faults
    stack: Stack
    engine: LiveEngine
    receiver: WebhookReceiver


@asynccontextmanager
async def _soak(folder: Path) -> AsyncIterator[Soak]:
    async with AsyncExitStack() as held:
        postgres = await held.enter_async_context(own_postgres())
        receiver = held.enter_context(webhook_receiver())
        temporal, port = OwnTemporal(folder, free_port()), free_port()
        await temporal.start()
        held.callback(temporal.kill)
        engine = await held.enter_async_context(
            live_engine(
                postgres.url,
                temporal.address,
                "default",
                webhook_allow_private_addresses=True,
                webhook_ca_file=receiver.ca_file,
            )
        )
        shops = [await open_shop(engine.database) for _ in range(_SHOPS)]
        for shop in shops:
            await subscribed(engine, shop, receiver)
        assert engine.settings.identity.session_key is not None
        stack = Stack(
            engine.settings,
            folder,
            port,
            {
                "SESSION_KEY": engine.settings.identity.session_key.get_secret_value(),
                "WEBHOOK_ALLOW_PRIVATE_ADDRESSES": "true",
                "WEBHOOK_CA_FILE": str(receiver.ca_file),
                "SWEEP_AFTER_S": "2",
                "SWEEP_INTERVAL_S": "1",
            },
        )
        chance = random.Random(SEED)
        callers = Callers(port, shops, random.Random(chance.random()))
        faults = Faults(stack, postgres, temporal, chance)
        await held.enter_async_context(running(stack))
        yield Soak(callers, faults, stack, engine, receiver)


async def test_parts_die_by_chance_under_load(tmp_path: Path) -> None:
    sys.stdout.write(f"SOAK_SEED={SEED}\n")
    async with _soak(tmp_path) as soak:
        await eventually(lambda: _completes(soak.callers))
        await _burst(soak.callers)
        files = soak.stack.files()

        sending = asyncio.ensure_future(soak.callers.send())
        await soak.faults.strike_for(SOAK_S)
        soak.callers.over = True
        await sending
        sys.stdout.write(f"struck {soak.faults.struck}\ntold {dict(soak.callers.codes)}\n")

        await eventually(lambda: _completes(soak.callers), _RECOVERS_WITHIN_S)
        await eventually(lambda: _all_ended(soak.engine.database), _RECOVERS_WITHIN_S)
        await _burst(soak.callers)
        await eventually(lambda: _all_ended(soak.engine.database), _RECOVERS_WITHIN_S)
        await _check_events(soak)
        await _check_deliveries(soak)
        for name, number in soak.stack.files().items():
            assert number <= files[name] + _MORE_FILES, name


async def _completes(callers: Callers) -> bool:
    before = callers.codes["completed"]
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{callers.port}", timeout=40) as http:
        await callers.send_one(http)
    return callers.codes["completed"] > before


async def _burst(callers: Callers) -> None:
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{callers.port}", timeout=40) as http:
        await asyncio.gather(*(callers.send_one(http) for _ in range(20)))


async def _all_ended(database: Database) -> bool:
    """Return whether no run is received and no delivery is in progress."""
    runs = {row["status"] for row in await rows(database, engine_runs)}
    pending = await rows(database, webhook_deliveries, status="pending")
    return runs <= {"completed", "needs_review"} and not pending


async def _check_events(soak: Soak) -> None:
    database, callers = soak.engine.database, soak.callers
    kept = {row["key"]: row["event_id"] for row in await rows(database, idempotency_keys)}
    assert callers.told.items() <= kept.items(), "what was acknowledged is there"
    assert not callers.refused & kept.keys(), "what was refused is not"

    runs = {row["event_id"]: row for row in await rows(database, engine_runs)}
    assert runs.keys() == set(kept.values())
    counted = await rows(database, usage_ledger)
    assert Counter(row["event_id"] for row in counted) == dict.fromkeys(runs, 1)
    counters = {
        row["client_id"]: row["tickets_used"] for row in await rows(database, usage_counters)
    }
    assert counters == Counter(row["client_id"] for row in counted)

    completed = {event for event, run in runs.items() if run["status"] == "completed"}
    replies = await rows(database, engine_messages, direction="outbound")
    assert Counter(row["event_id"] for row in replies) == dict.fromkeys(completed, 1)
    reviews = await rows(database, escalation_tickets)
    waiting = {run["id"] for event, run in runs.items() if event not in completed}
    assert Counter(row["run_id"] for row in reviews) == dict.fromkeys(waiting, 1)


async def _check_deliveries(soak: Soak) -> None:
    """Check that each run reported its outcome once, and each delivery arrived; an interrupted POST
    may have been repeated, with the same id."""
    database = soak.engine.database
    told = [row for row in await rows(database, outbox) if row["event"].startswith("ticket.")]
    outcomes = Counter(row["dedup_key"].partition(":")[0] for row in told)
    assert outcomes == dict.fromkeys([row["id"] for row in await rows(database, engine_runs)], 1)
    came = {request.headers["webhook-id"] for request in soak.receiver.seen}
    assert {row["id"] for row in told} <= came
    # The latest ended deliveries of each webhook are kept.
    recorded = await rows(database, webhook_deliveries)
    assert {row["status"] for row in recorded} == {"success"}
    numbers = {request.headers["x-service-delivery"] for request in soak.receiver.seen}
    assert {row["id"] for row in recorded} <= numbers
