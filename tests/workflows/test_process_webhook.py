"""Webhooks from arrival to effect: each once and in order, whatever fails."""

import asyncio
from datetime import timedelta

import pytest
import sqlalchemy as sa
from temporalio.common import RetryPolicy
from temporalio.testing import ActivityEnvironment

from activities.inbound.sweep_webhooks import SweepWebhooks
from adapters.system import new_ulid, utc_now
from domain.core import names
from domain.inbound.contracts import ProcessWebhookInput, WebhookRef
from domain.runs.contracts import SweepInput, SweepResult
from domain.tenants.actor import Actor
from services.core.unit_of_work import UnitsOfWork
from services.inbound.replay import replay_webhook
from store.inbound.tables import inbound_webhooks
from store.metadata import metadata
from store.runs.tables import engine_messages, engine_runs
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import rows
from tests.support.core.waiting import eventually
from tests.support.inbound.signed import open_sender
from tests.support.inbound.stored import listen_to
from tests.support.inbound.working import Inbox
from tests.support.intake.admission import sent_before
from tests.support.tenants.shop import ORDER_QUESTION, Shop
from workflows import options

pytestmark = pytest.mark.own_database


async def _all_done(engine: LiveEngine, number: int) -> bool:
    """Return whether this many webhooks have ended, and their runs."""
    ended = await rows(engine.database, inbound_webhooks, state="done")
    runs = await rows(engine.database, engine_runs)
    return len(ended) == number and all(run["status"] != "received" for run in runs)


async def _everything(engine: LiveEngine) -> dict[str, list[str]]:
    """Return every row of every table."""
    return {
        name: sorted(str(row) for row in await rows(engine.database, table))
        for name, table in metadata.tables.items()
    }


async def _replay(engine: LiveEngine, shop: Shop, webhook_id: str) -> bool:
    units = UnitsOfWork(engine.database, engine.engine, utc_now, new_ulid)
    async with units.of(shop.tenant) as work:
        starts = await replay_webhook(work, Actor.operator("test"), webhook_id)
    if starts:
        ref = WebhookRef(client_id=shop.client_id, webhook_id=webhook_id)
        step = ProcessWebhookInput(ref=ref, review_expiry_s=60)
        await engine.engine.process_webhook(step, wake=True)
    return starts


async def test_200_of_one_delivery_have_one_effect_and_others_theirs_in_order(
    engine: LiveEngine, shop: Shop
) -> None:
    sender = await open_sender(engine.database, shop, engine.settings)
    same = {"message": ORDER_QUESTION, "customer_email": "a@b.example"}

    answers = await asyncio.gather(
        *(sender.send(engine.http, "one", **same) for _ in range(200)),
        *(sender.send(engine.http, f"more-{n}", customer_email=f"{n}@b.example") for n in range(8)),
    )

    assert {(answer.status_code, answer.text) for answer in answers} == {(200, answers[0].text)}
    # Under load, a start may have come too late: then the sweep starts the work.
    sweep = SweepWebhooks(engine.database, engine.engine, utc_now)
    left = SweepInput(older_than_s=0, review_expiry_s=60)
    await ActivityEnvironment().run(sweep.start_left, left)
    await eventually(lambda: _all_done(engine, 9))
    kept = await rows(engine.database, inbound_webhooks)
    assert {one["dedup_key"]: (one["duplicates"], one["conflicts"]) for one in kept} == {
        "one": (199, 0),
        **{f"more-{n}": (0, 0) for n in range(8)},
    }
    assert {one["outcome"] for one in kept} == {"event"}
    # Processed in order of arrival.
    kept.sort(key=lambda one: str(one["id"]))
    ended = [one["finished_at"] for one in kept]
    assert ended == sorted(ended)
    asked = await rows(engine.database, engine_messages, direction="inbound", body=ORDER_QUESTION)
    assert len(asked) == 1

    before = await _everything(engine)
    for one in kept:
        assert not await _replay(engine, shop, one["id"])
    assert await _everything(engine) == before


async def test_one_that_waits_shows_it_and_can_be_tried_before_its_time(
    engine: LiveEngine, shop: Shop
) -> None:
    sender = await open_sender(engine.database, shop, engine.settings)
    await sent_before(engine.database, shop, 200, at=utc_now() - timedelta(minutes=10))
    for name in ("first", "second"):
        await sender.send(engine.http, name)

    async def waits() -> str | None:
        found = await rows(engine.database, inbound_webhooks, state="waiting")
        return found[0]["id"] if found else None

    first = await eventually(waits)
    handle = engine.client.get_workflow_handle(names.process_webhook_id(shop.client_id, first))

    async def shown() -> bool:
        return (await (await handle.describe()).memo()) == {"waits_for": "client_limit"}

    await eventually(shown)
    async with engine.database.service() as connection:
        await connection.execute(
            sa.update(engine_messages).values(created_at=utc_now() - timedelta(hours=2))
        )
    assert await _replay(engine, shop, first)
    await eventually(lambda: _all_done(engine, 2))


async def test_what_a_crash_left_is_swept_and_what_fails_is_given_up(
    engine: LiveEngine, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    soon = RetryPolicy(initial_interval=timedelta(milliseconds=10), maximum_attempts=2)
    monkeypatch.setitem(options.WORKING, "retry_policy", soon)
    async with engine.database.tenant(shop.tenant) as connection:
        inbox = Inbox(engine.database, shop, await listen_to(connection, shop.tenant))
    # Committed, and never started: the endpoint was killed in between.
    first, second = await inbox.comes(), await inbox.comes()
    broken = await inbox.comes()
    async with engine.database.service() as connection:
        # Accepted by another version, which knew the provider.
        await connection.execute(
            sa.update(inbound_webhooks)
            .where(inbound_webhooks.c.id == broken)
            .values(provider="martian")
        )
    last = await inbox.comes()
    swept = SweepWebhooks(engine.database, engine.engine, utc_now).start_left
    environment, step = ActivityEnvironment(), SweepInput(older_than_s=0)

    assert await environment.run(swept, step) == SweepResult(picked_up=1)

    await eventually(lambda: _all_done(engine, 3))
    assert await inbox.states(first, second, last) == ["done event"] * 3
    given_up = await inbox.row(broken)
    assert (given_up["state"], given_up["reason"]) == ("failed", "unknown_provider")

    # No workflow processes a queue without a head; the sweep advances it.
    stuck = await inbox.comes()
    async with engine.database.service() as connection:
        await connection.execute(
            sa.update(inbound_webhooks).where(inbound_webhooks.c.id == stuck).values(state="queued")
        )
    assert await environment.run(swept, step) == SweepResult(picked_up=1)
    await eventually(lambda: _all_done(engine, 4))

    # Members can have a failed webhook reprocessed by the version that knows its provider.
    async with engine.database.service() as connection:
        await connection.execute(
            sa.update(inbound_webhooks)
            .where(inbound_webhooks.c.id == broken)
            .values(provider="generic")
        )
    assert await _replay(engine, shop, broken)
    await eventually(lambda: _all_done(engine, 5))
