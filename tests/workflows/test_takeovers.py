"""A conversation that somebody takes over, from the gateway to its end."""

from domain.reviews.escalation import Decision
from domain.tenants.actor import Actor
from domain.tenants.client import Role
from services.reviews.takeovers import hand_back, take_over
from store.reviews.tables import escalation_tickets
from store.runs.tables import ai_conversations, engine_messages, engine_runs
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row, rows
from tests.support.core.units import units_on
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
