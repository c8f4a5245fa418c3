"""A concurrent decision and later message: one of them wins, and only the approved plan is
executed."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from domain.agent.brain import BrainAnswer, BrainRequest
from domain.core.errors import DomainError
from domain.reviews.errors import ConversationMovedOn, EscalationChanged
from domain.reviews.escalation import Decision
from domain.tenants.actor import Actor
from domain.tenants.client import Role
from services.reviews.claims import claim_review
from store.reviews.tables import escalation_tickets
from store.runs.tables import action_ledger, engine_messages, engine_runs
from tests.support.agent.acting import Acting, acting_shop, order, think_by
from tests.support.agent.later_turns import (
    CORRECTION,
    OTHER_MATTER,
    REFUND_OF,
    ReadingBrain,
    ended,
    the_review,
    waiting_rules,
    writes,
)
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row, rows
from tests.support.core.units import units_on

pytestmark = pytest.mark.own_database

ANNA = Actor.person("anna", Role.AGENT)


class InterruptedBrain(ReadingBrain):
    """While it processes a text that contains `words`, something else happens, once."""

    def __init__(self, words: str) -> None:
        super().__init__()
        self._words = words
        self.meanwhile: Callable[[], Awaitable[None]] | None = None

    async def think(self, request: BrainRequest) -> BrainAnswer:
        if self.meanwhile is not None and self._words in request.text:
            happens, self.meanwhile = self.meanwhile, None
            await happens()
        return await super().think(request)


async def _shop(
    engine: LiveEngine, folder: Path, brain: ReadingBrain, per_action: int = 5_000
) -> Acting:
    orders = [order("2001"), order("2002", 3_500)]
    it = await acting_shop(engine, folder, orders, waiting_rules(per_action=per_action))
    think_by(engine, brain)
    return it


async def _latest(engine: LiveEngine, it: Acting) -> str:
    return str((await the_review(engine, it))["latest_event_id"])


async def _refunded_orders(engine: LiveEngine, it: Acting) -> list[str]:
    entries = await rows(engine.database, action_ledger, of=it.shop)
    return [row["order_key"] for row in entries if row["order_key"]]


async def test_a_plan_that_was_approved_first_is_carried_out_as_approved(
    acting: LiveEngine, tmp_path: Path
) -> None:
    """The correction arrives too late, and is processed afterwards."""
    brain = InterruptedBrain(REFUND_OF.format(2002)[:-8])
    it = await _shop(acting, tmp_path, brain)
    async with acting.working():
        first = await writes(acting, it, REFUND_OF.format(2001))

        async def approve() -> None:
            review = await the_review(acting, it)
            await acting.decide(
                review["id"],
                Decision.APPROVE,
                seen_event=review["latest_event_id"],
                seen_revision=0,
            )

        brain.meanwhile = approve
        later = await writes(acting, it, CORRECTION.format(2002))
        assert brain.meanwhile is None, "the approval came while the agent thought"
        await ended(acting, it, first)

        review = await only_row(
            acting.database, escalation_tickets, of=it.shop, run_id=first["run_id"]
        )
        assert (review["status"], review["revision"]) == ("approved", 0)
        assert await _refunded_orders(acting, it) == ["demo_shop/2001"]
        run = await only_row(acting.database, engine_runs, id=later["run_id"])
        assert (run["covered"], run["status"] == "completed") == (False, False)


async def test_a_first_approval_is_void_once_the_plan_has_changed(
    acting: LiveEngine, tmp_path: Path
) -> None:
    """Even if the person has read the correction, and the plan that it changes."""
    brain = InterruptedBrain(REFUND_OF.format(2002)[:-8])
    it = await _shop(acting, tmp_path, brain, per_action=1_000)
    async with acting.working():
        await writes(acting, it, REFUND_OF.format(2001))

        async def approve() -> None:
            review = await the_review(acting, it)
            assert review["needs_second"]
            await acting.decide(
                review["id"],
                Decision.APPROVE,
                actor="anna",
                seen_event=review["latest_event_id"],
                seen_revision=0,
            )
            assert (await the_review(acting, it))["first_approved_by"] == "anna"

        brain.meanwhile = approve
        await writes(acting, it, CORRECTION.format(2002))

        review = await the_review(acting, it)
        assert (review["first_approved_by"], review["revision"]) == (None, 1)
        latest = await _latest(acting, it)
        with pytest.raises(EscalationChanged):
            await acting.decide(
                review["id"], Decision.APPROVE, actor="ben", seen_event=latest, seen_revision=0
            )
        await acting.decide(review["id"], Decision.APPROVE, actor="ben", seen_event=latest)
        assert it.refunded == 0, "one person has approved this plan"


async def test_a_message_that_comes_during_the_thought_is_part_of_the_plan(
    acting: LiveEngine, tmp_path: Path
) -> None:
    brain = InterruptedBrain(REFUND_OF.format(2002)[:-8])
    it = await _shop(acting, tmp_path, brain)
    async with acting.working():
        await writes(acting, it, REFUND_OF.format(2001))

        async def write() -> None:
            await writes(acting, it, CORRECTION.format(2001))

        brain.meanwhile = write
        await writes(acting, it, CORRECTION.format(2002))
        review = await the_review(acting, it)

    assert review["plan"][0]["order_number"] == "2001"


async def test_a_claim_that_comes_during_the_thought_keeps_the_agent_silent(
    acting: LiveEngine, tmp_path: Path
) -> None:
    brain = InterruptedBrain(OTHER_MATTER)
    it = await _shop(acting, tmp_path, brain)
    async with acting.working():
        await writes(acting, it, REFUND_OF.format(2001))
        review = await the_review(acting, it)

        async def claim() -> None:
            async with units_on(acting.database).of(it.shop.tenant) as work:
                await claim_review(work, ANNA, review["id"])

        brain.meanwhile = claim
        later = await writes(acting, it, OTHER_MATTER)

    assert (later["status"], later["run"]["joined_review"]) == ("needs_review", review["id"])
    assert await rows(acting.database, engine_messages, of=it.shop, direction="outbound") == []


@pytest.mark.parametrize("_", range(3))
async def test_an_approval_and_a_correction_at_once(
    acting: LiveEngine, tmp_path: Path, _: int
) -> None:
    """A reviewer approves without having read the correction."""
    it = await _shop(acting, tmp_path, ReadingBrain())
    async with acting.working():
        first = await writes(acting, it, REFUND_OF.format(2001))
        review = await the_review(acting, it)
        refusal: list[DomainError] = []

        async def approve() -> None:
            try:
                await acting.decide(review["id"], Decision.APPROVE)
            except (ConversationMovedOn, EscalationChanged) as error:
                refusal.append(error)

        await asyncio.gather(approve(), writes(acting, it, CORRECTION.format(2002)))
        if not refusal:
            await ended(acting, it, first)
            assert await _refunded_orders(acting, it) == ["demo_shop/2001"]
        else:
            assert await _refunded_orders(acting, it) == []
            waiting = await only_row(acting.database, escalation_tickets, id=review["id"])
            assert waiting["plan"][0]["order_number"] == "2002"
            assert waiting["status"] == "pending"
