"""An event that is too expensive to parse or process is not an outage: a human answers it."""

import pytest

from domain.intake.cut_event import CUT_CHARS
from domain.reviews.escalation import Decision
from store.intake.tables import engine_events
from store.reviews.tables import escalation_tickets
from store.runs.tables import engine_messages, sentiment_logs
from tests.support.agent.over_budget import (
    normalize_at_a_cost,
    normalize_without_end,
    think_at_a_cost,
    think_without_end,
)
from tests.support.core.endless import endless_search
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row, rows
from tests.support.tenants.shop import ORDER_QUESTION, open_shop

pytestmark = pytest.mark.own_database

LONG = f"{ORDER_QUESTION} " * 200


async def test_what_cannot_be_read_is_cut_for_a_person(idle_engine: LiveEngine) -> None:
    """Its start is shown, and the whole event is stored; nothing parses it again."""
    engine, costly = idle_engine, normalize_at_a_cost(idle_engine)
    brain = think_at_a_cost(engine)
    shop = await open_shop(engine.database)
    async with engine.working():
        body = (await engine.post(shop, customer_email="a@b.example", message=LONG)).json()
        review = await only_row(engine.database, escalation_tickets, of=shop)
        assert (body["status"], body["response"]) == ("needs_review", "")
        assert (review["reason"], review["draft"]) == ("tool_failure", "")
        await engine.decide(review["id"], Decision.EDIT, "It is on its way.")
        facts = await engine.run_of(shop, body["event_id"]).result()

    assert facts["status"] == "completed"
    event = await only_row(engine.database, engine_events, of=shop)
    assert len(event["text"]) <= CUT_CHARS
    assert event["message"] == LONG
    reply = await only_row(engine.database, engine_messages, of=shop, direction="outbound")
    assert reply["body"] == "It is on its way."
    assert (costly.asked, brain.asked) == (1, 0)
    assert await rows(engine.database, sentiment_logs, of=shop) == []


async def test_what_cannot_be_thought_about_waits_for_a_person(idle_engine: LiveEngine) -> None:
    engine, costly = idle_engine, think_at_a_cost(idle_engine)
    shop = await open_shop(engine.database)
    async with engine.working():
        body = (await engine.post(shop, customer_email="a@b.example", message=LONG)).json()

    review = await only_row(engine.database, escalation_tickets, of=shop)
    assert (body["status"], body["classification"]) == ("needs_review", "other")
    assert review["reason"] == "tool_failure"
    event = await only_row(engine.database, engine_events, of=shop)
    assert len(event["text"]) > CUT_CHARS
    assert costly.asked == 1


async def test_a_dry_run_of_it_waits_too(idle_engine: LiveEngine) -> None:
    engine = idle_engine
    shop = await open_shop(engine.database)
    think_at_a_cost(engine)
    engine.activities.dry_run._brain_budget = engine.activities.think._brain_budget
    async with engine.working():
        body = (await engine.post(shop, message=LONG, is_test=True)).json()

    assert (body["status"], body["response"], body["draft"]) == ("needs_review", "", "")


async def test_what_would_never_end_is_stopped_and_waits_for_a_person(
    idle_engine: LiveEngine,
) -> None:
    """The guard stops the work, Temporal's worker continues, and nothing is lost."""
    engine, endless = idle_engine, normalize_without_end(idle_engine)
    brain = think_without_end(engine)
    shop = await open_shop(engine.database)
    async with engine.working():
        body = (await engine.post(shop, customer_email="a@b.example", message=LONG)).json()

        event = await only_row(engine.database, engine_events, of=shop)
        review = await only_row(engine.database, escalation_tickets, of=shop)
        assert (body["status"], review["reason"]) == ("needs_review", "tool_failure")
        assert event["message"] == LONG
        assert (endless.asked, brain.asked) == (1, 0)
        await engine.decide(review["id"], Decision.EDIT, "It is on its way.")
        facts = await engine.run_of(shop, body["event_id"]).result()
    assert facts["status"] == "completed"


@pytest.mark.parametrize("is_test", [False, True], ids=["run", "dry run"])
async def test_thinking_that_would_never_end_is_stopped(
    idle_engine: LiveEngine, is_test: bool
) -> None:
    engine, endless = idle_engine, think_without_end(idle_engine)
    engine.activities.dry_run._brain_budget = engine.activities.think._brain_budget
    shop = await open_shop(engine.database)
    async with engine.working():
        body = (
            await engine.post(shop, customer_email="a@b.example", message=LONG, is_test=is_test)
        ).json()

    assert (body["status"], body["response"]) == ("needs_review", "")
    assert endless.asked == 1


async def test_a_sender_that_cannot_be_determined_is_admitted(
    idle_engine: LiveEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The event counts toward the client's limits, and is processed as usual."""

    def endless(*_: object) -> None:
        endless_search()

    monkeypatch.setattr("services.intake.admission.limit_key", endless)
    monkeypatch.setattr("services.intake.entry_limiter.limit_key", endless)
    engine = idle_engine
    shop = await open_shop(engine.database)
    async with engine.working():
        answer = await engine.post(shop, customer_email="a@b.example", message=LONG)

    assert answer.status_code == 200
    message = await only_row(engine.database, engine_messages, of=shop, direction="inbound")
    assert message["customer_key"] is None
    assert (await only_row(engine.database, engine_events, of=shop))["message"] == LONG
