"""A conversation that a member takes over, from the gateway to its end."""

from dataclasses import replace

from domain.agent.brain import BrainAnswer, BrainRequest, Category
from domain.reviews.escalation import Decision
from domain.tenants.actor import Actor
from domain.tenants.client import Role
from services.reviews.replies import write_reply
from services.reviews.takeovers import hand_back, take_over
from store.reviews.tables import escalation_tickets
from store.runs.tables import ai_conversations, engine_messages, engine_runs
from tests.support.agent.acting import ScriptedBrain
from tests.support.core.engine import LiveEngine, think_with
from tests.support.core.rows import only_row, rows
from tests.support.core.units import units_on
from tests.support.reviews.replies import WORDS
from tests.support.tenants.shop import ORDER_QUESTION, Shop

ANNA = Actor.person("anna", Role.AGENT)


async def _asks(engine: LiveEngine, shop: Shop) -> dict[str, str]:
    answer = await engine.post(shop, message=ORDER_QUESTION, customer_email="emma@example.com")
    facts: dict[str, str] = answer.json()
    return facts


async def test_the_agent_is_silent_until_it_is_handed_back(engine: LiveEngine, shop: Shop) -> None:
    assert (await _asks(engine, shop))["status"] == "completed"
    thread = (await only_row(engine.database, ai_conversations, of=shop))["id"]
    async with units_on(engine.database).of(shop.tenant) as work:
        await take_over(work, ANNA, thread)

    held = await _asks(engine, shop)
    joined = await _asks(engine, shop)

    assert [held["status"], joined["status"]] == ["needs_review"] * 2
    review = await only_row(engine.database, escalation_tickets, of=shop)
    assert (review["run_id"], review["latest_event_id"]) == (held["run_id"], joined["event_id"])
    run = await only_row(engine.database, engine_runs, id=joined["run_id"])
    assert run["joined_review"] == review["id"]
    await engine.decide(review["id"], Decision.EDIT, "C'est moi.", seen_event=joined["event_id"])
    await engine.run_of(shop, held["event_id"]).result()
    said = await rows(engine.database, engine_messages, of=shop, direction="outbound")
    assert {one["author"] for one in said} == {"agent", "human"}

    async with units_on(engine.database).of(shop.tenant) as work:
        await hand_back(work, ANNA, thread)
    assert (await _asks(engine, shop))["status"] == "completed"


class SlowBrain(ScriptedBrain):
    """While it thinks, a member takes the conversation over, or only `replies`."""

    def __init__(self, engine: LiveEngine, shop: Shop, *, replies: bool = False) -> None:
        super().__init__(category=Category.ORDER_STATUS, text="Bonjour.")
        self._engine = engine
        self._shop = shop
        self._replies = replies

    async def think(self, request: BrainRequest) -> BrainAnswer:
        thread = (await only_row(self._engine.database, ai_conversations, of=self._shop))["id"]
        async with units_on(self._engine.database).of(self._shop.tenant) as work:
            if self._replies:
                await write_reply(work, ANNA, thread, WORDS)
            else:
                await take_over(work, ANNA, thread)
        return await super().think(request)


async def test_what_was_thought_of_before_waits_for_them(
    idle_engine: LiveEngine, shop: Shop
) -> None:
    """With its plan, which the member may approve."""
    engine = idle_engine
    brain = SlowBrain(engine, shop)
    engine.activities = replace(engine.activities, think=think_with(engine.database, brain))
    async with engine.working():
        held = await _asks(engine, shop)
        assert held["status"] == "needs_review"
        run = await only_row(engine.database, engine_runs, id=held["run_id"])
        assert run["verdicts"][-1]["reason"] == "taken_over"
        review = await only_row(engine.database, escalation_tickets, of=shop)
        assert (review["status"], review["draft"], len(review["plan"])) == (
            "pending",
            "Bonjour.",
            1,
        )

        await engine.decide(review["id"], Decision.APPROVE)
        await engine.run_of(shop, held["event_id"]).result()
        said = await only_row(engine.database, engine_messages, of=shop, direction="outbound")
        assert said["body"] == "Bonjour."


async def test_the_agent_does_not_answer_while_a_reply_waits(
    idle_engine: LiveEngine, shop: Shop
) -> None:
    """The reply was written while the agent was thinking."""
    engine = idle_engine
    brain = SlowBrain(engine, shop, replies=True)
    engine.activities = replace(engine.activities, think=think_with(engine.database, brain))
    async with engine.working():
        held = await _asks(engine, shop)
    assert held["status"] == "needs_review"
    run = await only_row(engine.database, engine_runs, id=held["run_id"])
    assert run["verdicts"][-1]["reason"] == "taken_over"
    assert await rows(engine.database, engine_messages, of=shop, direction="outbound") == []
