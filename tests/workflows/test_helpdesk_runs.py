"""Helpdesk tickets: answered, noted and tagged in the ticket, each once."""

import json
from collections.abc import AsyncIterator, Iterator

import pytest

from domain.agent.brain import Category
from domain.agent.plan import ActionKind
from domain.agent.rulebook import ActionLevel, ActionRule, Rulebook
from domain.integrations.integration import BASE_URL
from domain.integrations.providers import Provider
from domain.reviews.escalation import Decision
from domain.tenants.disclosure import DEFAULT_DISCLOSURE
from store.integrations.tables import integrations
from store.reviews.tables import escalation_tickets
from store.runs.tables import action_ledger, conversation_replies
from store.runs.ticket_messages import TicketMessages
from tests.support.agent.acting import CUSTOMER, ScriptedBrain, connect, think_by
from tests.support.core.engine import LiveEngine, live_engine
from tests.support.core.histories import history_bytes
from tests.support.core.rows import only_row, rows
from tests.support.core.temporal import TemporalServer
from tests.support.reviews.replies import WORDS, conversation_of, due_now, send, written
from tests.support.servers.http_service import Fault
from tests.support.servers.zendesk import API_TOKEN, EMAIL, ZendeskServer, zendesk_server
from tests.support.tenants.shop import Shop, open_shop
from tests.support.webhooks.told import told_events

RULES = Rulebook(
    actions={
        ActionKind.NOTE: ActionRule(level=ActionLevel.AUTONOMOUS),
        ActionKind.TAG: ActionRule(level=ActionLevel.AUTONOMOUS, tags=("vip",)),
    }
)
DISCLOSURE = DEFAULT_DISCLOSURE["fr"]
BRAIN = ScriptedBrain(
    ActionKind.NOTE, ActionKind.TAG, category=Category.OTHER, text="Bonjour, merci beaucoup !"
)


@pytest.fixture
def zendesk() -> Iterator[ZendeskServer]:
    with zendesk_server() as server:
        yield server


@pytest.fixture
async def acting(database_url: str, temporal: TemporalServer) -> AsyncIterator[LiveEngine]:
    async with live_engine(
        database_url, temporal.address, temporal.take_namespace(), allow_loopback_targets=True
    ) as engine:
        think_by(engine, BRAIN)
        async with engine.working():
            yield engine


async def test_answered_noted_and_tagged_in_the_ticket(
    acting: LiveEngine, zendesk: ZendeskServer
) -> None:
    shop = await _with_zendesk(acting, zendesk)
    ticket_id = zendesk.open_ticket(CUSTOMER)

    answer = await _ask(acting, shop, ticket_id)

    assert (answer["status"], answer["steps_executed"]) == ("completed", 3)
    ticket = zendesk.tickets[ticket_id]
    note, reply = _said(ticket.comments)
    assert (note["public"], "vu" in str(note["html_body"])) == (False, True)
    assert (reply["public"], "merci beaucoup" in str(reply["html_body"])) == (True, True)
    assert [DISCLOSURE in str(one["html_body"]) for one in (note, reply)] == [False, True]
    assert ticket.tags == ["vip"]
    history = await history_bytes(acting.run_of(shop, str(answer["event_id"])))
    assert API_TOKEN.encode() not in history


async def test_an_answer_that_got_lost_is_looked_for_and_not_repeated(
    acting: LiveEngine, zendesk: ZendeskServer
) -> None:
    """The first update succeeds and its response is lost: the audits show it."""
    shop = await _with_zendesk(acting, zendesk)
    ticket_id = zendesk.open_ticket(CUSTOMER)
    zendesk.fail_next(Fault.CUT, "PUT", after=True)

    answer = await _ask(acting, shop, ticket_id)

    assert answer["status"] == "completed"
    comments = _said(zendesk.tickets[ticket_id].comments)
    assert [said["public"] for said in comments] == [False, True]


async def test_a_members_reply_is_written_in_the_ticket_once_and_is_known_as_ours(
    acting: LiveEngine, zendesk: ZendeskServer
) -> None:
    """Its update succeeds and the response is lost: the reply is found, and not repeated."""
    shop = await _with_zendesk(acting, zendesk)
    ticket_id = zendesk.open_ticket(CUSTOMER)
    answer = await _ask(acting, shop, ticket_id)
    talk = await conversation_of(acting.database, str(answer["event_id"]))
    zendesk.fail_next(Fault.CUT, "PUT", after=True)

    reply = await written(acting.database, shop, talk)
    await due_now(acting.database, reply)
    await send(acting, shop, reply)

    comments = _said(zendesk.tickets[ticket_id].comments)
    assert [said["public"] for said in comments] == [False, True, True]
    assert WORDS.partition("'")[0] in str(comments[-1]["html_body"])
    assert [DISCLOSURE in str(said["html_body"]) for said in comments] == [False, True, False]
    assert (await only_row(acting.database, conversation_replies, of=shop))["state"] == "sent"
    integration = await only_row(acting.database, integrations, of=shop)
    async with acting.database.tenant(shop.tenant) as connection:
        known = TicketMessages(connection, shop.tenant)
        latest, answered, *_ = await known.written(integration["id"], ticket_id)
    assert (latest.text, latest.is_settled, latest.reference is None) == (WORDS, True, False)
    # Without this line, the agent's message would be treated as a human's.
    assert answered.text == f"Bonjour, merci beaucoup !\n\n{DISCLOSURE}"


async def test_refused_credentials_end_the_connection(
    acting: LiveEngine, zendesk: ZendeskServer
) -> None:
    shop = await _with_zendesk(acting, zendesk, token="old")
    ticket_id = zendesk.open_ticket(CUSTOMER)

    answer = await _ask(acting, shop, ticket_id)

    assert answer["status"] == "failed"
    integration = await only_row(acting.database, integrations, of=shop)
    assert (integration["status"], integration["error_code"]) == ("error", "not_authorized")
    assert len(await told_events(acting.database, of=shop, event="integration.disconnected")) == 1


async def test_a_half_done_plan_is_finished_after_a_human_looked(
    acting: LiveEngine, zendesk: ZendeskServer
) -> None:
    """The ticket has been closed to the customer: it is noted and tagged, but not answered."""
    shop = await _with_zendesk(acting, zendesk)
    ticket_id = zendesk.open_ticket(CUSTOMER, status="solved")

    answer = await _ask(acting, shop, ticket_id)
    assert (answer["status"], answer["steps_executed"]) == ("needs_review", 3)
    zendesk.tickets[ticket_id].status = "open"
    waiting = await only_row(acting.database, escalation_tickets, of=shop)
    await acting.decide(waiting["id"], Decision.APPROVE)
    await acting.run_of(shop, str(answer["event_id"])).result()

    assert len(_said(zendesk.tickets[ticket_id].comments)) == 2
    ledger = await rows(acting.database, action_ledger, of=shop, action="note")
    assert [row["state"] for row in ledger] == ["done"]


async def _with_zendesk(acting: LiveEngine, zendesk: ZendeskServer, token: str = API_TOKEN) -> Shop:
    shop = await open_shop(acting.database, rulebook=RULES)
    settings = {"subdomain": "acme", "email": EMAIL, BASE_URL: zendesk.url}
    await connect(acting, shop, Provider.ZENDESK, settings, json.dumps({"api_token": token}))
    return shop


async def _ask(acting: LiveEngine, shop: Shop, ticket_id: str) -> dict[str, object]:
    answer = await acting.post(
        shop,
        event_type="zendesk.ticket.created",
        ticket={"id": ticket_id, "requester": {"email": CUSTOMER}, "description": "Merci !"},
    )
    body: dict[str, object] = answer.json()
    return body


def _said(events: list[dict[str, object]]) -> list[dict[str, object]]:
    return [event for event in events if event.get("type") == "Comment"]
