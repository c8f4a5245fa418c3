"""A ticket typed by a member is never the customer's request, and its author cannot approve it."""

from pathlib import Path

import pytest

from domain.agent.plan import ActionKind
from domain.agent.rulebook import ActionLevel, Rulebook
from domain.reviews.errors import OwnRequest
from domain.tenants.actor import Actor
from domain.tenants.client import Role
from services.reviews.decisions import edit_review
from store.audit.tables import audit_entries
from store.intake.tables import engine_events
from store.reviews.tables import escalation_tickets
from store.runs.tables import ai_conversations, engine_runs
from tests.support.agent.acting import (
    ASKED,
    CUSTOMER,
    WISH,
    Acting,
    ScriptedBrain,
    acting_shop,
    order,
    rules,
    think_by,
)
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row, rows
from tests.support.dashboard.visitors import PageVisitor, at_pages
from tests.support.reviews.dashboard import act, code, person
from tests.support.tenants.identity import bearer, session_token

pytestmark = pytest.mark.own_database

CONFIRMED = rules(ActionLevel.CUSTOMER_CONFIRMED)
YES = "Oui, merci."


async def refunding(engine: LiveEngine, folder: Path, rulebook: Rulebook = CONFIRMED) -> Acting:
    it = await acting_shop(engine, folder, [order("2001")], rulebook)
    think_by(engine, ScriptedBrain(ActionKind.REFUND))
    return it


async def typed(engine: LiveEngine, agent: PageVisitor, message: str, email: str = CUSTOMER) -> str:
    """Submit the form for a new ticket; return its run's id."""
    database = engine.database
    before = {run["id"] for run in await rows(database, engine_runs)}
    await agent.send(
        "/app/tickets/new",
        "/app/tickets",
        {
            "event_type": "shopify.ticket.created",
            "customer_email": email,
            "order_number": "2001",
            "message": message,
        },
    )
    (run_id,) = {run["id"] for run in await rows(database, engine_runs)} - before
    return str(run_id)


async def test_an_agent_types_the_request_and_the_yes(acting: LiveEngine, tmp_path: Path) -> None:
    it = await refunding(acting, tmp_path)
    async with acting.working(), at_pages(acting, it.shop, Role.AGENT) as agent:
        await typed(acting, agent, WISH)
        await typed(acting, agent, YES)

    assert it.refunded == 0
    events = await rows(acting.database, engine_events)
    assert [event["author"] for event in events] == [agent.user_id, agent.user_id]


@pytest.mark.parametrize("level", [ActionLevel.AUTONOMOUS, ActionLevel.CUSTOMER_CONFIRMED])
async def test_a_session_vouches_for_no_customer(
    acting: LiveEngine, tmp_path: Path, level: ActionLevel
) -> None:
    it = await refunding(acting, tmp_path, rules(level))
    async with acting.working():
        headers = await person(acting, it.shop, Role.ADMIN)
        for message in (WISH, YES):
            body = {
                **ASKED,
                "client_id": it.shop.client_id,
                "customer_verified": True,
                "message": message,
            }
            answer = await acting.http.post("/api/engine/gateway", json=body, headers=headers)
            assert answer.status_code == 200, answer.text

    assert it.refunded == 0
    assert all(event["author"] for event in await rows(acting.database, engine_events))


async def test_a_typed_yes_takes_no_question_from_the_customer(
    acting: LiveEngine, tmp_path: Path
) -> None:
    it = await refunding(acting, tmp_path)
    async with acting.working(), at_pages(acting, it.shop, Role.AGENT) as agent:
        await acting.post(it.shop, **ASKED)
        await typed(acting, agent, YES)
        by_member = it.refunded
        waiting = await rows(acting.database, ai_conversations)
        await acting.post(it.shop, **{**ASKED, "message": YES})

    assert by_member == 0
    assert [bool(one["proposal"]) for one in waiting] == [True, False]
    assert it.refunded == 4_900


async def test_the_author_of_a_ticket_approves_nothing_of_it(
    acting: LiveEngine, tmp_path: Path
) -> None:
    """By page, by route and in their name by command, with the draft and with another text."""
    it = await refunding(acting, tmp_path)
    async with acting.working(), at_pages(acting, it.shop, Role.AGENT) as agent:
        run_id = await typed(acting, agent, "Bonjour, pouvez-vous me rappeler demain ?")
        review = await only_row(acting.database, escalation_tickets, run_id=run_id)
        form = f"/app/reviews/{review['id']}"
        page = await agent.see(form)
        headers = bearer(session_token(acting.settings, agent.user_id))
        refused = [await act(acting, review["id"], what, headers) for what in ("approve", "edit")]
        own = Actor.operator(agent.user_id, login="operator:root")
        with pytest.raises(OwnRequest):
            async with acting.app.state.resources.work.of(it.shop.tenant) as work:
                await edit_review(work, own, review["id"], "Bonjour.")
        colleague = await person(acting, it.shop, Role.AGENT)
        agreed = await act(acting, review["id"], "edit", colleague)

    assert f'action="{form}/edit"' not in page
    assert [code(one) for one in refused] == [(403, "own_request")] * 2
    assert agreed.status_code == 200, agreed.text


async def test_a_typed_ticket_names_its_author(acting: LiveEngine, tmp_path: Path) -> None:
    it = await refunding(acting, tmp_path)
    async with acting.working(), at_pages(acting, it.shop, Role.OWNER) as owner:
        run_id = await typed(acting, owner, WISH)
        headers = bearer(session_token(acting.settings, owner.user_id))
        run = (await acting.http.get(f"/api/dashboard/runs/{run_id}", headers=headers)).json()
        page = await owner.see(f"/app/runs/{run_id}")

    assert run["event"]["author"] == owner.user_id
    assert "Typed by" in page
    (entry,) = await rows(acting.database, audit_entries, what="ticket typed")
    assert (entry["actor"], entry["ids"]["event_id"]) == (owner.user_id, run["event"]["event_id"])
