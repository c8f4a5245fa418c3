"""Replays are started one at a time, within limits, and stopped once."""

from datetime import timedelta

import pytest

from adapters.system import utc_now
from domain.content.content import KnowledgeChange
from domain.core.errors import DomainError
from domain.playbooks.errors import PatternTaken, PlaybookNotFound
from domain.playbooks.playbook import PlaybookSpec
from domain.simulation.errors import InvalidReplay, ReplayUnderWay
from domain.simulation.replay import MAX_BUDGET_S, ReplayAsked, ReplayState, ReplayStop
from domain.simulation.variant import LIVE, ContentVariant, Variant
from domain.tenants.actor import Actor
from services.simulation.replays import start_replay, stop_replay
from store.core.database import Database
from tests.support.core.units import units_on
from tests.support.tenants.shop import Shop

OPERATOR = Actor.operator("tester")
NOW = utc_now()
NEVER_USED = PlaybookSpec(name="Same events", event_type="*")
CONTENT = ContentVariant(id="k", knowledge=KnowledgeChange(title="t"))


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        (ReplayAsked(variant=Variant(content=CONTENT)), InvalidReplay),
        (ReplayAsked(variant=Variant(version=1)), InvalidReplay),
        (ReplayAsked(variant=LIVE, budget_micros=-1), InvalidReplay),
        (ReplayAsked(variant=LIVE, budget_s=MAX_BUDGET_S + 1), InvalidReplay),
        (ReplayAsked(variant=LIVE, since=NOW + timedelta(days=1)), InvalidReplay),
        (ReplayAsked(variant=LIVE, until=NOW - timedelta(days=800)), InvalidReplay),
        (ReplayAsked(variant=Variant(playbook_id="01J9ZQ4Z8N3V5X7B2C4D6E8F0G")), PlaybookNotFound),
        (ReplayAsked(variant=Variant(draft=NEVER_USED)), PatternTaken),
    ],
    ids=[
        "content",
        "version alone",
        "money",
        "time",
        "future",
        "retention",
        "unknown playbook",
        "never used",
    ],
)
async def test_what_cannot_be_replayed_is_refused(
    database: Database, shop: Shop, asked: ReplayAsked, error: type[DomainError]
) -> None:
    with pytest.raises(error):
        async with units_on(database).of(shop.tenant) as work:
            await start_replay(work, OPERATOR, asked)


async def test_one_at_a_time_and_stopped_once(database: Database, shop: Shop) -> None:
    async with units_on(database).of(shop.tenant) as work:
        replay = await start_replay(work, OPERATOR, ReplayAsked(variant=LIVE))
    assert (replay.until - replay.since).days == 30

    with pytest.raises(ReplayUnderWay):
        async with units_on(database).of(shop.tenant) as work:
            await start_replay(work, OPERATOR, ReplayAsked(variant=LIVE))

    for _ in range(2):
        async with units_on(database).of(shop.tenant) as work:
            stopped = await stop_replay(work, OPERATOR, replay.id)
        assert (stopped.state, stopped.stopped_because) == (ReplayState.STOPPED, ReplayStop.PERSON)
    async with units_on(database).of(shop.tenant) as work:
        await start_replay(work, OPERATOR, ReplayAsked(variant=LIVE))
