"""Events about a ticket for merchants' systems, and cases without events."""

import dataclasses
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from activities.runs.persist import Persist
from adapters.system import new_ulid, utc_now
from domain.agent.brain import BrainAnswer, BrainRequest
from domain.agent.escalation_reason import EscalationReason
from domain.agent.plan import ActionKind, StepOutcome, StepState
from domain.core.contracts import RunRef
from domain.reviews.escalation import Decision
from domain.runs.contracts import PersistInput
from domain.runs.run import RunStatus
from domain.webhooks.outbound_event import MAX_RESPONSE_BYTES
from store.reviews.tables import escalation_tickets
from store.runs.tables import ai_conversations, engine_runs
from store.webhooks.tables import outbox
from tests.support.core.engine import LiveEngine, think_with
from tests.support.core.rows import only_row, rows
from tests.support.core.waiting import eventually
from tests.support.servers.mail import MailServer
from tests.support.tenants.shop import ORDER_QUESTION, UNSURE_MESSAGE, Shop
from tests.support.webhooks.told import told_events

CUSTOMER = "a@b.example"
CANARY = "quetzal-canary-78"


async def told(engine: LiveEngine, shop: Shop, event: str) -> list[dict[str, Any]]:
    return [one.data for one in await told_events(engine.database, of=shop, event=event)]


async def all_told(engine: LiveEngine, shop: Shop) -> list[str]:
    return [one.event for one in await told_events(engine.database, of=shop)]


async def test_a_new_conversation_and_its_answer(engine: LiveEngine, shop: Shop) -> None:
    body = (
        await engine.post(
            shop,
            source="shop front",
            customer_email=CUSTOMER,
            subject="Commande",
            ticket_id="T-1",
            message=" ".join([ORDER_QUESTION] * 4),
            order_number="1042",
        )
    ).json()

    assert await all_told(engine, shop) == ["conversation.created", "ticket.resolved"]
    conversation = await only_row(engine.database, ai_conversations, of=shop)
    assert await told(engine, shop, "conversation.created") == [
        {
            "conversation_id": conversation["id"],
            "ticket_id": "T-1",
            "source": "shop front",
            "customer_email": CUSTOMER,
            "subject": "Commande",
            "preview": " ".join([ORDER_QUESTION] * 4)[:200],
        }
    ]
    assert await told(engine, shop, "ticket.resolved") == [
        {
            "ticket_id": "T-1",
            "customer_email": CUSTOMER,
            "classification": body["classification"],
            "confidence": body["confidence"],
            "ai_response": body["response"],
            "ai_response_truncated": False,
            "duration_ms": body["duration_ms"],
            "resolution": 1,
        }
    ]
    assert body["response"]


async def test_the_next_message_is_no_new_conversation(engine: LiveEngine, shop: Shop) -> None:
    for _ in range(2):
        await engine.post(shop, customer_email=CUSTOMER, message=ORDER_QUESTION)

    assert len(await told(engine, shop, "conversation.created")) == 1
    assert len(await told(engine, shop, "ticket.resolved")) == 2


async def test_without_a_customer(engine: LiveEngine, shop: Shop) -> None:
    body = (await engine.post(shop, message=ORDER_QUESTION)).json()

    (created,) = await told(engine, shop, "conversation.created")
    (resolved,) = await told(engine, shop, "ticket.resolved")
    for data in (created, resolved):
        assert (data["ticket_id"], data["customer_email"]) == (body["event_id"], "")
    assert (created["source"], created["subject"]) == ("api_direct", "")


async def test_a_human_is_asked_and_approves(engine: LiveEngine, shop: Shop) -> None:
    body = (
        await engine.post(shop, customer_email=CUSTOMER, ticket_id="T-2", message=UNSURE_MESSAGE)
    ).json()
    assert body["status"] == "needs_review"
    review = await only_row(engine.database, escalation_tickets, of=shop)
    (escalated,) = await told(engine, shop, "ticket.escalated")
    assert escalated == {
        "ticket_id": "T-2",
        "customer_email": CUSTOMER,
        "classification": body["classification"],
        "confidence": body["confidence"],
        "reason": review["reason"],
        "review_id": review["id"],
        "model_fault": None,
    }
    assert await told(engine, shop, "ticket.resolved") == []
    run = await only_row(engine.database, engine_runs, of=shop)
    assert run["handoff_reason"] == review["reason"]
    async with engine.database.service() as connection:
        await connection.execute(
            sa.update(engine_runs)
            .where(engine_runs.c.client_id == shop.client_id)
            .values(received_at=engine_runs.c.received_at - timedelta(hours=1))
        )

    await engine.decide(review["id"], Decision.EDIT, "Les mots d'un humain.")
    await engine.run_of(shop, body["event_id"]).result()

    (resolved,) = await told(engine, shop, "ticket.resolved")
    assert (resolved["ticket_id"], resolved["ai_response"]) == ("T-2", "Les mots d'un humain.")
    # The complete duration, not only until the caller's answer.
    assert resolved["duration_ms"] >= 3_600_000 > body["duration_ms"]


async def test_a_body_fits_whatever_a_human_wrote(engine: LiveEngine, shop: Shop) -> None:
    """Receivers are asked to accept 100 KB."""
    body = (await engine.post(shop, customer_email=CUSTOMER, message=UNSURE_MESSAGE)).json()
    review = await only_row(engine.database, escalation_tickets, of=shop)
    words = "🧵" * 40_000

    await engine.decide(review["id"], Decision.EDIT, words)
    await engine.run_of(shop, body["event_id"]).result()

    (resolved,) = await told(engine, shop, "ticket.resolved")
    assert resolved["ai_response_truncated"]
    assert len(resolved["ai_response"]) == MAX_RESPONSE_BYTES // 4
    row = await only_row(engine.database, outbox, of=shop, event="ticket.resolved")
    assert len(row["body"]) < 100_000
    # A request for the run returns the complete text.
    assert (await only_row(engine.database, engine_runs, of=shop))["response"] == words


async def test_each_round_is_told_and_the_first_reason_stays(
    engine: LiveEngine, shop: Shop, mail: MailServer
) -> None:
    mail.reply = None
    body = (
        await engine.post(
            shop, event_type="email.inbound", customer_email=CUSTOMER, message=UNSURE_MESSAGE
        )
    ).json()
    first = await only_row(engine.database, escalation_tickets, of=shop)
    await engine.decide(first["id"], Decision.EDIT, "Bonjour.")
    second = await eventually(lambda: _round(engine, shop, 1))
    await engine.decide(second["id"], Decision.REJECT)
    await engine.run_of(shop, body["event_id"]).result()

    events = await told(engine, shop, "ticket.escalated")
    assert [event["review_id"] for event in events] == [first["id"], second["id"]]
    assert events[1]["reason"] == "tool_failure"
    run = await only_row(engine.database, engine_runs, of=shop)
    assert run["handoff_reason"] == first["reason"] != "tool_failure"
    assert await told(engine, shop, "ticket.resolved") == []
    # A run that ends with a rejection is not persisted.
    conversation = await only_row(engine.database, ai_conversations, of=shop)
    assert conversation["summary"].endswith("handed over")


@pytest.mark.usefixtures("tried_quickly")
async def test_a_broken_brain_is_told_without_its_words(
    idle_engine: LiveEngine, shop: Shop
) -> None:
    class BrokenBrain:
        async def think(self, request: BrainRequest) -> BrainAnswer:
            raise ValueError(f"cannot parse {request.text!r}")

    idle_engine.activities = dataclasses.replace(
        idle_engine.activities, think=think_with(idle_engine.database, BrokenBrain())
    )
    async with idle_engine.working():
        body = (await idle_engine.post(shop, message=f"{ORDER_QUESTION} {CANARY}")).json()

    assert await told(idle_engine, shop, "ticket.response_failed") == [
        {
            "ticket_id": body["event_id"],
            "customer_email": "",
            "error_code": "brain_unavailable",
            "message": "The agent could not answer this ticket.",
            "model_fault": "internal_error",
        }
    ]
    assert await told(idle_engine, shop, "ticket.resolved") == []


async def test_a_refused_mail_is_told_by_its_code(
    engine: LiveEngine, shop: Shop, mail: MailServer
) -> None:
    mail.reply = "550 no such user"
    body = (
        await engine.post(
            shop, event_type="email.inbound", customer_email=CUSTOMER, message=ORDER_QUESTION
        )
    ).json()

    assert body["status"] == "failed"
    (failed,) = await told(engine, shop, "ticket.response_failed")
    assert failed["error_code"] == "mail_refused"


async def test_nothing_is_told_of_an_auto_reply(engine: LiveEngine, shop: Shop) -> None:
    """Its arrival is reported, but an unanswered auto-reply is not a resolved ticket."""
    body = (
        await engine.post(
            shop,
            event_type="email.inbound",
            customer_email=CUSTOMER,
            headers={"Auto-Submitted": "auto-replied"},
            message=ORDER_QUESTION,
        )
    ).json()

    assert (body["status"], body["response"]) == ("completed", "")
    assert await all_told(engine, shop) == ["conversation.created"]


async def test_nothing_is_told_of_dry_runs_and_unmatched_events(
    engine: LiveEngine, shop: Shop
) -> None:
    for message in (ORDER_QUESTION, UNSURE_MESSAGE):
        await engine.post(shop, customer_email=CUSTOMER, message=message, is_test=True)
    async with engine.database.service() as connection:
        await connection.execute(sa.text("UPDATE playbooks SET is_active = false"))
    body = (await engine.post(shop, customer_email=CUSTOMER, message=ORDER_QUESTION)).json()

    assert body["status"] == "no_playbook"
    assert await all_told(engine, shop) == []


async def test_a_repeated_step_tells_nothing_twice(engine: LiveEngine, shop: Shop) -> None:
    """Temporal may run persist and normalize again after their commit."""
    body = (await engine.post(shop, customer_email=CUSTOMER, message=UNSURE_MESSAGE)).json()
    ref = RunRef(client_id=shop.client_id, event_id=body["event_id"], run_id=body["run_id"])
    before = await told_events(engine.database, of=shop)

    waits = PersistInput(
        ref=ref,
        status=RunStatus.NEEDS_REVIEW,
        escalation=EscalationReason.TOOL_FAILURE,
        review_expiry_s=60,
    )
    await Persist(engine.database, utc_now, new_ulid).persist(waits)

    assert await told_events(engine.database, of=shop) == before


async def test_a_plan_without_a_reply_is_no_answer(engine: LiveEngine, shop: Shop) -> None:
    """Tags and notes are internal."""
    body = (await engine.post(shop, customer_email=CUSTOMER, message=UNSURE_MESSAGE)).json()
    ref = RunRef(client_id=shop.client_id, event_id=body["event_id"], run_id=body["run_id"])
    tagged = StepOutcome(kind=ActionKind.TAG, state=StepState.DONE)

    done = PersistInput(ref=ref, status=RunStatus.COMPLETED, steps=(tagged,))
    await Persist(engine.database, utc_now, new_ulid).persist(done)

    run = await only_row(engine.database, engine_runs, of=shop)
    assert (run["status"], run["response"]) == ("completed", "")
    assert await told(engine, shop, "ticket.resolved") == []


async def _round(engine: LiveEngine, shop: Shop, number: int) -> dict[str, Any] | None:
    found = await rows(engine.database, escalation_tickets, of=shop, round=number)
    return found[0] if found else None
