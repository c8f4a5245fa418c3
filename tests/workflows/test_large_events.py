"""Events that cannot be parsed yet: their runs wait for a process, and none of them fails."""

import asyncio
from dataclasses import dataclass, field

import pytest

from activities.runtime.fair_normalizer import FairNormalizer
from adapters.normalizing.inline import normalize_inline
from domain.intake.errors import LargeEventsWait
from domain.intake.event import InboundEvent
from domain.intake.event_size import LARGE, is_large
from domain.intake.ports import Normalized
from store.reviews.tables import escalation_tickets
from tests.support.agent.over_budget import (
    TRIES_INSIDE,
    normalize_at_a_cost_after_an_outage,
    normalize_with,
)
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row
from tests.support.core.waiting import eventually
from tests.support.tenants.shop import ORDER_QUESTION, open_shop

pytestmark = pytest.mark.own_database

LARGE_MESSAGE = f"{ORDER_QUESTION} " * (LARGE // len(ORDER_QUESTION))


@dataclass
class _Occupied:
    """Works on a large event until it is released."""

    entered: asyncio.Event = field(default_factory=asyncio.Event)
    go_on: asyncio.Event = field(default_factory=asyncio.Event)

    async def normalize(
        self, event: InboundEvent, *, fallback_ticket_id: str, authserv_ids: tuple[str, ...] = ()
    ) -> Normalized:
        if is_large(event):
            self.entered.set()
            await self.go_on.wait()
        return normalize_inline(
            event, fallback_ticket_id=fallback_ticket_id, authserv_ids=authserv_ids
        )


async def test_a_clients_large_events_beyond_those_that_may_wait_come_again(
    idle_engine: LiveEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However often they are deferred, they do not fail."""
    engine, occupied, refused = idle_engine, _Occupied(), 0

    class Fair(FairNormalizer):
        async def normalize(self, *args: object, **more: object) -> Normalized:
            nonlocal refused
            try:
                return await super().normalize(*args, **more)  # type: ignore[arg-type]
            except LargeEventsWait:
                refused += 1
                raise

    monkeypatch.setattr(LargeEventsWait, "retry_after_s", 0.05)
    normalize_with(engine, Fair(occupied, most_of_one=1))
    shop = await open_shop(engine.database)
    other = await open_shop(engine.database)

    def post(number: int) -> asyncio.Task[object]:
        who = f"a{number}@b.example"
        return asyncio.create_task(engine.post(shop, customer_email=who, message=LARGE_MESSAGE))

    async with engine.working():
        first = post(0)
        await occupied.entered.wait()
        second = post(1)

        async def sent_away() -> bool:
            return refused > TRIES_INSIDE

        await eventually(sent_away)
        beside = await engine.post(other, message=ORDER_QUESTION)
        occupied.go_on.set()
        answers = [await first, await second]

    assert beside.json()["status"] == "completed"
    assert [answer.json()["status"] for answer in answers] == ["needs_review"] * 2  # type: ignore[attr-defined]


async def test_what_costs_too_much_after_an_outage_goes_to_a_person(
    idle_engine: LiveEngine,
) -> None:
    engine, costly = idle_engine, normalize_at_a_cost_after_an_outage(idle_engine)
    shop = await open_shop(engine.database)
    async with engine.working():
        body = (await engine.post(shop, message=ORDER_QUESTION)).json()

    assert body["status"] == "needs_review"
    review = await only_row(engine.database, escalation_tickets, of=shop)
    assert review["reason"] == "tool_failure"
    assert costly.asked == TRIES_INSIDE + 1
