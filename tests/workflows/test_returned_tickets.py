"""Returned tickets: neither the brain nor the executor ran for their message."""

from typing import Any

import pytest

from adapters.system import utc_now
from domain.reviews.escalation import Decision
from domain.tenants.client import Plan
from store.billing.tables import credit_ledger, usage_counters, usage_ledger
from store.reviews.tables import escalation_tickets
from store.runs.tables import engine_runs
from store.tenants.tables import clients
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row, rows
from tests.support.intake.admission import bought, on_plan, used_before
from tests.support.tenants.shop import ORDER_QUESTION, UNSURE_MESSAGE, Shop

CUSTOMER = "emma@example.com"
AUTOMATIC = {"Auto-Submitted": "auto-replied"}
DRAFTED = "Où est ma commande 1042 ? Le chat a mangé le bon de livraison."
SENSITIVE = "Mon avocat va vous assigner."


async def _used(engine: LiveEngine, shop: Shop) -> int:
    """Return the month's used tickets, after checking them against the ledger's rows."""
    counter = await only_row(engine.database, usage_counters, of=shop)
    ledger = await rows(engine.database, usage_ledger, of=shop)
    assert counter["tickets_used"] == sum(row["returned_at"] is None for row in ledger)
    return int(counter["tickets_used"])


async def _post(engine: LiveEngine, shop: Shop, **event: object) -> dict[str, Any]:
    body: dict[str, Any] = (await engine.post(shop, customer_email=CUSTOMER, **event)).json()
    return body


async def test_a_message_that_only_joins_a_review_costs_nothing(
    engine: LiveEngine, shop: Shop
) -> None:
    first = await _post(engine, shop, message=UNSURE_MESSAGE)
    joined = await _post(engine, shop, message=SENSITIVE)
    await engine.run_of(shop, joined["event_id"]).result()

    assert await _used(engine, shop) == 1
    returned = [
        row for row in await rows(engine.database, usage_ledger, of=shop) if row["returned_at"]
    ]
    assert [row["event_id"] for row in returned] == [joined["event_id"]]
    review = await only_row(engine.database, escalation_tickets, of=shop)
    await engine.decide(review["id"], Decision.EDIT, "Bonjour.", seen_event=joined["event_id"])
    await engine.run_of(shop, first["event_id"]).result()
    assert await _used(engine, shop) == 1


async def test_a_message_that_the_brain_read_during_a_review_costs_a_ticket(
    engine: LiveEngine, shop: Shop
) -> None:
    await _post(engine, shop, message=UNSURE_MESSAGE)
    review = await only_row(engine.database, escalation_tickets, of=shop)
    joined = await _post(engine, shop, message="Allô, il y a quelqu'un ?")
    await engine.run_of(shop, joined["event_id"]).result()
    assert await _used(engine, shop) == 2

    await engine.decide(review["id"], Decision.REJECT)
    late = await _post(engine, shop, message="Allô, toujours personne ?")
    await engine.run_of(shop, late["event_id"]).result()

    assert await _used(engine, shop) == 2, "people have the conversation, and read it alone"


@pytest.mark.parametrize(
    "event",
    [
        {"event_type": "email.inbound", "headers": AUTOMATIC, "message": ORDER_QUESTION},
        {
            "event_type": "zendesk.ticket.updated",
            "ticket_id": "7",
            "message": "Je m'en occupe.",
            "comment": {"public": False},
        },
    ],
    ids=["automatic reply", "colleague's comment"],
)
async def test_what_asks_for_no_answer_asks_no_brain_and_costs_nothing(
    engine: LiveEngine, shop: Shop, event: dict[str, object]
) -> None:
    body = await _post(engine, shop, **event)

    assert (body["status"], body["response"], body["steps_executed"]) == ("completed", "", 0)
    assert (await only_row(engine.database, engine_runs, of=shop))["model"] == "rules"
    assert await _used(engine, shop) == 0


async def test_the_credit_comes_back_with_the_ticket(engine: LiveEngine, shop: Shop) -> None:
    await on_plan(engine.database, shop, Plan.FREE)
    await used_before(engine.database, shop, 50, utc_now())
    await bought(engine.database, shop, 1)
    for _ in range(2):
        body = await _post(
            engine, shop, event_type="email.inbound", headers=AUTOMATIC, message="Absente."
        )
        assert body["status"] == "completed"

    counter = await only_row(engine.database, usage_counters, of=shop)
    assert counter["tickets_used"] == 50
    account = await only_row(engine.database, clients, id=shop.client_id)
    assert account["credits_balance"] == 1
    entries = await rows(engine.database, credit_ledger, of=shop)
    assert sum(entry["amount"] for entry in entries) == 1
    spent = {entry["event_id"] for entry in entries if entry["reason"] == "ticket"}
    back = {entry["returned_event_id"] for entry in entries if entry["reason"] == "ticket_returned"}
    assert len(back) == 2
    assert spent == back


@pytest.mark.parametrize(("decision", "used"), [(Decision.REJECT, 0), (Decision.EDIT, 1)])
async def test_a_matter_for_people_counts_if_the_executor_answers(
    engine: LiveEngine, shop: Shop, decision: Decision, used: int
) -> None:
    body = await _post(engine, shop, message=SENSITIVE)
    assert body["status"] == "needs_review"
    assert await _used(engine, shop) == 1, "the run has not ended"
    review = await only_row(engine.database, escalation_tickets, of=shop)

    words = "Bonjour." if decision is Decision.EDIT else None
    await engine.decide(review["id"], decision, words)
    await engine.run_of(shop, body["event_id"]).result()

    assert await _used(engine, shop) == used


@pytest.mark.parametrize("decision", [Decision.REJECT, Decision.EDIT])
async def test_what_the_brain_read_counts_whatever_people_decide(
    engine: LiveEngine, shop: Shop, decision: Decision
) -> None:
    body = await _post(engine, shop, message=UNSURE_MESSAGE)
    review = await only_row(engine.database, escalation_tickets, of=shop)
    words = "Bonjour." if decision is Decision.EDIT else None
    await engine.decide(review["id"], decision, words)
    await engine.run_of(shop, body["event_id"]).result()

    assert await _used(engine, shop) == 1


async def test_a_message_that_an_approval_left_open_counts_when_it_is_read(
    engine: LiveEngine, shop: Shop
) -> None:
    """The agent read it when it joined, and again after the approval: one ticket."""
    first = await _post(engine, shop, message=DRAFTED)
    joined = await _post(engine, shop, message=UNSURE_MESSAGE)
    await engine.run_of(shop, joined["event_id"]).result()
    assert await _used(engine, shop) == 2
    review = await only_row(engine.database, escalation_tickets, of=shop)

    await engine.decide(review["id"], Decision.APPROVE, seen_event=joined["event_id"])
    await engine.run_of(shop, first["event_id"]).result()
    await engine.review_of(joined["run_id"], round_=0)

    assert await _used(engine, shop) == 2
