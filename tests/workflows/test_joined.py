"""A customer who writes again while human agents have the conversation, from the gateway to its
end."""

import asyncio
from typing import Any

import pytest

from domain.reviews.errors import ConversationMovedOn
from domain.reviews.escalation import Decision
from domain.runs.contracts import RunFacts
from store.reviews.tables import escalation_tickets
from store.runs.tables import ai_conversations, engine_messages, engine_runs
from store.webhooks.tables import outbox
from tests.support.core.engine import LiveEngine, live_engine
from tests.support.core.rows import only_row, rows
from tests.support.core.temporal import TemporalServer
from tests.support.servers.mail import MailServer
from tests.support.tenants.shop import ORDER_QUESTION, UNSURE_MESSAGE, Shop
from tests.support.webhooks.told import told_events

WORDS = "Un conseiller vous appelle."


async def _writes(
    engine: LiveEngine, shop: Shop, message: str = UNSURE_MESSAGE, **event: str
) -> dict[str, Any]:
    answer = await engine.post(shop, message=message, customer_email="emma@example.com", **event)
    facts: dict[str, Any] = answer.json()
    assert facts["status"] == "needs_review", facts
    return facts


async def _ended(engine: LiveEngine, shop: Shop, facts: dict[str, Any]) -> RunFacts:
    return RunFacts.model_validate(await engine.run_of(shop, facts["event_id"]).result())


async def _run(engine: LiveEngine, facts: dict[str, Any]) -> dict[str, Any]:
    return await only_row(engine.database, engine_runs, id=facts["run_id"])


async def test_two_messages_are_one_case(engine: LiveEngine, shop: Shop) -> None:
    first = await _writes(engine, shop)
    review = await only_row(engine.database, escalation_tickets, of=shop)

    second = await _writes(engine, shop, "Allô, il y a quelqu'un ?")

    assert (await _ended(engine, shop, second)).status == "needs_review"
    joined = await _run(engine, second)
    assert joined["joined_review"] == review["id"]
    assert joined["classification"] is not None, "the agent has read it"
    assert joined["handoff_reason"] == review["reason"]
    with pytest.raises(ConversationMovedOn):
        await engine.decide(review["id"], Decision.EDIT, WORDS)
    await engine.decide(review["id"], Decision.EDIT, WORDS, seen_event=second["event_id"])

    assert (await _ended(engine, shop, first)).status == "completed"
    assert (await _run(engine, first))["response"] == WORDS
    joined = await _run(engine, second)
    assert (joined["status"], joined["response"]) == ("completed", "")
    assert joined["finished_at"] is not None
    assert joined["answer"]["status"] == "needs_review", "what its caller was told"
    assert len(await rows(engine.database, escalation_tickets, of=shop)) == 1
    answers = await rows(engine.database, engine_messages, of=shop, direction="outbound")
    assert [answer["body"] for answer in answers] == [WORDS]


async def test_after_the_answer_the_agent_is_asked_again(engine: LiveEngine, shop: Shop) -> None:
    first = await _writes(engine, shop)
    review = await only_row(engine.database, escalation_tickets, of=shop)
    await engine.decide(review["id"], Decision.EDIT, WORDS)
    await _ended(engine, shop, first)
    later = await _writes(engine, shop)
    run = await _run(engine, later)
    assert run["joined_review"] is None
    assert run["classification"] is not None


async def test_people_keep_what_they_took_over(engine: LiveEngine, shop: Shop) -> None:
    first = await _writes(engine, shop)
    review = await only_row(engine.database, escalation_tickets, of=shop)
    await engine.decide(review["id"], Decision.REJECT)
    await _ended(engine, shop, first)

    later = await _writes(engine, shop)

    run = await _run(engine, later)
    assert (run["joined_review"], run["status"]) == (review["id"], "needs_review")
    assert run["classification"] is None
    row = await only_row(engine.database, escalation_tickets, of=shop)
    assert (row["status"], row["latest_event_id"]) == ("rejected", later["event_id"])


async def test_people_have_what_expired(
    database_url: str, temporal: TemporalServer, shop: Shop
) -> None:
    async with (
        live_engine(
            database_url,
            temporal.address,
            temporal.take_namespace(),
            review_expiry_hours=0.1 / 3600,
        ) as engine,
        engine.working(),
    ):
        first = await _writes(engine, shop)
        await _ended(engine, shop, first)
        assert (await only_row(engine.database, ai_conversations, of=shop))["handed_over_at"]
        later = await _run(engine, await _writes(engine, shop))
        assert later["joined_review"] is not None


async def test_messages_at_once_lead_to_one_review(engine: LiveEngine, shop: Shop) -> None:
    """The first processed message opens it; the others join it, before or after they were
    processed."""
    answers = await asyncio.gather(
        *(_writes(engine, shop, f"{UNSURE_MESSAGE} ({number})") for number in range(4))
    )
    review = await only_row(engine.database, escalation_tickets, of=shop)
    runs = [await _run(engine, facts) for facts in answers]
    assert [run["joined_review"] for run in runs].count(None) == 1
    assert {run["joined_review"] for run in runs} == {None, review["id"]}

    await engine.decide(review["id"], Decision.EDIT, WORDS, seen_event=review["latest_event_id"])

    for facts in answers:
        await _ended(engine, shop, facts)
    # Joined messages end with their case, which may be any of them.
    for facts in answers:
        assert (await _run(engine, facts))["status"] == "completed"


async def test_people_have_a_case_whose_answer_could_not_be_sent(
    engine: LiveEngine, shop: Shop, mail: MailServer
) -> None:
    """The joined messages are unanswered, and each is reported."""
    mail.reply = "550 no such user"
    by_mail = {"event_type": "email.inbound", "ticket_id": "T-1"}
    first = await _writes(engine, shop, **by_mail)
    review = await only_row(engine.database, escalation_tickets, of=shop)
    joined = [await _writes(engine, shop, f"Allô ? ({n})", **by_mail) for n in range(2)]
    for facts in joined:
        await _ended(engine, shop, facts)
    latest = joined[-1]["event_id"]
    await engine.decide(review["id"], Decision.EDIT, WORDS, seen_event=latest)

    assert (await _ended(engine, shop, first)).status == "failed"
    for facts in joined:
        run = await _run(engine, facts)
        assert (run["status"], run["error_code"]) == ("failed", "mail_refused")
        assert run["finished_at"] is not None
    told = await told_events(engine.database, of=shop, event="ticket.response_failed")
    assert [(one.data["ticket_id"], one.data["error_code"]) for one in told] == [
        ("T-1", "mail_refused")
    ] * 3
    about = await rows(engine.database, outbox, of=shop, event="ticket.response_failed")
    assert {row["dedup_key"] for row in about} == {one["run_id"] for one in (first, *joined)}
    assert (await only_row(engine.database, ai_conversations, of=shop))["handed_over_at"]

    later = await _writes(engine, shop, **by_mail)
    run = await _run(engine, later)
    assert (run["joined_review"], run["classification"]) == (review["id"], None)


async def test_a_failure_that_no_human_saw_is_not_handed_over(
    engine: LiveEngine, shop: Shop, mail: MailServer
) -> None:
    mail.reply = "550 no such user"
    answer = await engine.post(
        shop,
        event_type="email.inbound",
        customer_email="emma@example.com",
        message=ORDER_QUESTION,
    )
    assert answer.json()["status"] == "failed"
    assert (await only_row(engine.database, ai_conversations, of=shop))["handed_over_at"] is None
