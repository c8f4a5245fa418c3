"""Turns for knowledge gaps: one request per client, and one search at a time."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta

import pytest

from adapters.brain.question_clusters import QuestionReader
from adapters.system import utc_now
from domain.analytics.gaps import GapSpan, KnowledgeGaps, QuestionCluster
from domain.core.errors import CallerBusy
from domain.tenants.actor import Actor
from domain.tenants.client import Role
from services.analytics.gaps import GapReading, knowledge_gaps
from services.core.fair_slots import FairSlots
from services.core.fair_turns import FairTurns
from store.core.database import Database
from tests.support.analytics.days import Said, past_event
from tests.support.tenants.shop import Shop, open_shop
from tests.support.tenants.spending import unpaid_shop


def hasty() -> FairTurns:
    return FairTurns(patience_s=0.05, most_of_one=2, most=8)


async def asked_in_vain(
    database: Database, shop: Shop, text: str = "Livrez-vous en Suisse ?"
) -> None:
    await past_event(
        database,
        shop,
        utc_now() - timedelta(days=2),
        status="needs_review",
        reviews=["pending"],
        reason="missing_knowledge",
        said=Said(text),
    )


async def gaps(database: Database, shop: Shop, reading: GapReading) -> KnowledgeGaps:
    actor = Actor.person(shop.owner_user_id, Role.OWNER)
    return await knowledge_gaps(
        database, shop.tenant, actor, reading, span=GapSpan.MONTH, now=utc_now(), limit=20
    )


@pytest.mark.parametrize("held", ["turns", "searches"])
async def test_a_client_waits_for_its_own_reading_and_searches(
    database: Database, shop: Shop, held: str
) -> None:
    """A request makes up to a hundred searches, and eight requests are processed at once."""
    other = await open_shop(database)
    for one in (shop, other):
        await asked_in_vain(database, one)
    reading = GapReading(QuestionReader(), hasty(), hasty())
    turns = reading.turns if held == "turns" else reading.searches

    async with turns.turn(shop.tenant):
        with pytest.raises(CallerBusy):
            await gaps(database, shop, reading)
        assert len((await gaps(database, other, reading)).gaps) == 1
    assert len((await gaps(database, shop, reading)).gaps) == 1


class HeldReader(QuestionReader):
    """A reader whose calls for clients without a plan do not end. `busy`: set during such a
    call."""

    def __init__(self, free: str) -> None:
        super().__init__()
        self._free = free
        self.busy = asyncio.Event()

    async def clusters(self, questions: Sequence[str]) -> tuple[QuestionCluster, ...]:
        if self._free in questions:
            self.busy.set()
            await asyncio.Event().wait()
        return await super().clusters(questions)


async def test_clients_without_a_plan_leave_the_reader_to_those_that_pay(
    database: Database, shop: Shop
) -> None:
    """Earlier, eight free accounts were enough that a paying client got 429."""
    free = [await unpaid_shop(database) for _ in range(9)]
    for one in free:
        await asked_in_vain(database, one, "Gratuit ?")
    await asked_in_vain(database, shop)
    reader = HeldReader("Gratuit ?")
    reading = GapReading(reader, hasty(), slots=FairSlots(2, unpaid=1, patience_s=0.05))

    held = [asyncio.ensure_future(gaps(database, one, reading)) for one in free]
    await reader.busy.wait()
    refused, waiting = await asyncio.wait(held, timeout=10, return_when=asyncio.FIRST_COMPLETED)
    assert isinstance(refused.pop().exception(), CallerBusy)
    assert waiting
    assert len((await gaps(database, shop, reading)).gaps) == 1
    for task in held:
        task.cancel()
    await asyncio.gather(*held, return_exceptions=True)
