"""Tickets from helpdesk webhooks: answered in the ticket, until a human agent answers."""

import json
from collections.abc import AsyncIterator, Iterator
from secrets import token_bytes, token_hex
from typing import Any

import pytest
import sqlalchemy as sa
from pydantic import JsonValue

from adapters.seal import FernetSealer
from adapters.system import new_ulid, utc_now
from domain.agent.brain import Category
from domain.agent.plan import ActionKind
from domain.agent.rulebook import ActionLevel, ActionRule, Rulebook
from domain.inbound.endpoint import SECRET_BYTES, TOKEN_BYTES, WantedEndpoint
from domain.inbound.errors import AuthorUndecided
from domain.inbound.inbound_webhook import Outcome
from domain.inbound.meaning import StaffMessage
from domain.integrations.integration import BASE_URL
from domain.integrations.providers import Provider
from domain.reviews.errors import EscalationDecided
from domain.reviews.escalation import Decision
from domain.runs.action_key import action_key
from domain.tenants.actor import Actor
from services.core.unit_of_work import UnitOfWork
from services.inbound.endpoints import DrawnBytes, open_endpoint
from services.inbound.staff import heard
from store.inbound.tables import inbound_webhooks
from store.integrations.helpdesk_pauses import HelpdeskPauseRepository
from store.integrations.integrations import IntegrationRepository
from store.reviews.tables import escalation_tickets
from store.runs.tables import action_ledger, engine_runs
from tests.support.agent.acting import CUSTOMER, ScriptedBrain, connect, think_by
from tests.support.core.engine import LiveEngine, live_engine
from tests.support.core.rows import only_row, rows
from tests.support.core.temporal import TemporalServer
from tests.support.core.waiting import eventually
from tests.support.inbound.helpdesk_webhooks import SECRET, helpdesk_form, zendesk_request
from tests.support.servers.zendesk import API_TOKEN, EMAIL, ZendeskServer, zendesk_server
from tests.support.tenants.shop import Shop, open_shop
from tests.support.webhooks.told import told_events

ANSWER = "Bonjour, merci beaucoup !"
BRAIN = ScriptedBrain(category=Category.OTHER, text=ANSWER)
ASKS_PEOPLE = Rulebook(
    actions={ActionKind.REPLY_IN_HELPDESK: ActionRule(level=ActionLevel.HUMAN_APPROVED)}
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


class Desk:
    """A client's Zendesk with one ticket, which sends webhooks."""

    def __init__(
        self, engine: LiveEngine, shop: Shop, zendesk: ZendeskServer, integration_id: str, path: str
    ) -> None:
        self.engine = engine
        self.shop = shop
        self.integration_id = integration_id
        self.ticket_id = zendesk.open_ticket(CUSTOMER)
        self._ticket = zendesk.tickets[self.ticket_id]
        self._path = path

    @property
    def said(self) -> list[tuple[bool, str]]:
        """Return the agent's comments: whether each is public, and its text."""
        return [
            (one["public"], str(one["html_body"]))
            for one in self._ticket.comments
            if one.get("type") == "Comment"
        ]

    @property
    def own_comment(self) -> str:
        """Return the id of the agent's last comment."""
        return str([one for one in self._ticket.comments if one.get("type") == "Comment"][-1]["id"])

    async def tells(self, **fields: JsonValue) -> dict[str, Any]:
        """Send one webhook, and wait until it is processed."""
        told: dict[str, JsonValue] = {
            "author_email": CUSTOMER,
            "customer_email": CUSTOMER,
            "message": "Merci !",
        }
        body = helpdesk_form(ticket_id=self.ticket_id, **{**told, **fields})
        name = token_hex(8)
        request = zendesk_request(body, at=utc_now(), invocation=name)
        answer = await self.engine.http.post(
            self._path, content=request.body, headers=dict(request.headers)
        )
        assert answer.status_code == 200, answer.text

        async def ended() -> dict[str, Any] | None:
            found = await rows(
                self.engine.database, inbound_webhooks, of=self.shop, dedup_key=name, state="done"
            )
            return found[0] if found else None

        return await eventually(ended)

    async def customer_asks(self, comment_id: str) -> str:
        """Send a customer's message; return its run when it has ended or is in review."""
        row = await self.tells(message_id=comment_id)
        assert row["outcome"] == "event", row

        async def answered() -> str | None:
            run = await only_row(self.engine.database, engine_runs, event_id=row["event_id"])
            return None if run["status"] == "received" else str(run["id"])

        return await eventually(answered)

    async def person_answers(self, comment_id: str) -> dict[str, Any]:
        return await self.tells(
            message_id=comment_id, from_agent=True, author_email="ann@acme.example", message="Vu."
        )


async def _desk(
    engine: LiveEngine, zendesk: ZendeskServer, rulebook: Rulebook | None = None, **settings: str
) -> Desk:
    shop = await open_shop(engine.database, rulebook=rulebook or Rulebook())
    given = {"subdomain": "acme", "email": EMAIL, BASE_URL: zendesk.url, **settings}
    integration_id = await connect(
        engine, shop, Provider.ZENDESK, given, json.dumps({"api_token": API_TOKEN})
    )
    drawn = DrawnBytes(token_bytes(TOKEN_BYTES), token_bytes(SECRET_BYTES))
    sealer = FernetSealer(engine.settings.seal.key.get_secret_value())
    async with engine.database.tenant(shop.tenant) as connection:
        work = UnitOfWork(connection, shop.tenant, utc_now(), new_ulid)
        opened = await open_endpoint(
            work,
            Actor.operator("test"),
            integration_id,
            WantedEndpoint(secret=SECRET),
            drawn,
            sealer=sealer,
        )
    return Desk(engine, shop, zendesk, integration_id, f"/api/webhooks/zendesk/{opened.token}")


async def test_answered_in_the_ticket_until_a_person_answers(
    acting: LiveEngine, zendesk: ZendeskServer
) -> None:
    desk = await _desk(acting, zendesk)

    await desk.customer_asks("901")
    assert [public for public, _ in desk.said] == [True]
    assert ANSWER in desk.said[0][1]
    # Another subscription sends the same comment.
    assert (await desk.tells(message_id="901"))["outcome"] == "known"
    # Zendesk also sends our own comment, from an account that a human may use too.
    own: dict[str, JsonValue] = {"from_agent": True, "author_email": EMAIL, "message": ANSWER}
    assert (await desk.tells(message_id=desk.own_comment, **own))["outcome"] == "own_message"
    await desk.customer_asks("902")
    assert len(desk.said) == 2

    assert (await desk.person_answers("903"))["outcome"] == "staff_answered"
    left = await desk.tells(message_id="904")
    assert (left["outcome"], left["reference"]) == ("left_to_people", desk.ticket_id)
    assert len(desk.said) == 2
    solved: dict[str, JsonValue] = {
        "event": "status",
        "status": "Solved",
        "message_id": "",
        "message": "",
    }
    assert (await desk.tells(**solved))["outcome"] == "ticket_closed"

    await desk.customer_asks("905")
    assert len(desk.said) == 3
    # The same account with another text: a human's.
    assert (await desk.tells(message_id="906", **{**own, "message": "Je regarde."}))[
        "outcome"
    ] == "staff_answered"


async def test_a_person_s_answer_closes_the_review(
    acting: LiveEngine, zendesk: ZendeskServer
) -> None:
    desk = await _desk(acting, zendesk, ASKS_PEOPLE)
    run_id = await desk.customer_asks("901")
    review = await acting.review_of(run_id, round_=0)

    note = await desk.tells(message_id="902", from_agent=True, public=False, message="Qui prend ?")
    assert note["outcome"] == "ignored"
    await desk.person_answers("903")

    closed = await only_row(acting.database, escalation_tickets, id=review["id"])
    assert (closed["status"], closed["decided_by"]) == ("rejected", "helpdesk")
    with pytest.raises(EscalationDecided):
        await acting.decide(review["id"], Decision.APPROVE)
    run = await only_row(acting.database, engine_runs, id=run_id)
    await acting.run_of(desk.shop, run["event_id"]).result()
    assert desk.said == []


async def test_a_run_under_way_says_nothing_after_a_person(
    acting: LiveEngine, zendesk: ZendeskServer
) -> None:
    """The pause starts between admission and the answer, as it may for a caller of the gateway."""
    desk = await _desk(acting, zendesk)
    async with acting.database.tenant(desk.shop.tenant) as connection:
        await HelpdeskPauseRepository(connection, desk.shop.tenant).pause(
            desk.integration_id,
            desk.ticket_id,
            message_id="1",
            now=utc_now(),
            until=utc_now().replace(year=2100),
        )

    answer = await acting.post(
        desk.shop,
        event_type="zendesk.ticket.updated",
        ticket={"id": desk.ticket_id, "requester": {"email": CUSTOMER}, "description": "Merci !"},
    )

    assert (answer.json()["status"], answer.json()["response"]) == ("needs_review", "")
    assert desk.said == []
    review = await only_row(acting.database, escalation_tickets, of=desk.shop)
    assert (review["status"], review["decided_by"]) == ("rejected", "helpdesk")
    # A human who answers in the ticket needs no notice.
    assert await told_events(acting.database, of=desk.shop, event="ticket.escalated") == []


async def test_an_answer_left_as_a_note(acting: LiveEngine, zendesk: ZendeskServer) -> None:
    desk = await _desk(acting, zendesk, answer_as="note")

    run_id = await desk.customer_asks("901")

    assert [(public, ANSWER in words) for public, words in desk.said] == [(False, True)]
    run = await only_row(acting.database, engine_runs, id=run_id)
    assert (run["status"], run["response"]) == ("completed", "")
    assert await told_events(acting.database, of=desk.shop, event="ticket.resolved") == []
    mine = await desk.tells(
        message_id=desk.own_comment,
        from_agent=True,
        author_email=EMAIL,
        public=False,
        message=ANSWER,
    )
    assert mine["outcome"] == "own_message"


async def test_a_message_of_ours_before_the_ledger_has_its_id(
    acting: LiveEngine, zendesk: ZendeskServer
) -> None:
    desk = await _desk(acting, zendesk)
    run_id = await desk.customer_asks("901")
    tenant = desk.shop.tenant

    async def hear(**said: Any) -> Outcome:
        message = StaffMessage(desk.ticket_id, "777", is_public=True, **said)
        async with acting.database.tenant(tenant) as connection:
            integration = await IntegrationRepository(connection, tenant).usable(
                desk.integration_id
            )
            work = UnitOfWork(connection, tenant, utc_now(), new_ulid)
            return await heard(work, integration, message, lasts=acting.settings.threads.lasts)

    async with acting.database.tenant(tenant) as connection:
        await connection.execute(
            sa.update(action_ledger)
            .where(action_ledger.c.client_id == tenant, action_ledger.c.run_id == run_id)
            .values(state="planned", reference=None, finished_at=None, planned_at=utc_now())
        )

    assert await hear(text=f"<p>{ANSWER}</p>", by=EMAIL) is Outcome.OWN_MESSAGE
    assert await hear(text="?", key=action_key(run_id, 0, None)) is Outcome.OWN_MESSAGE
    for by in (None, EMAIL):
        with pytest.raises(AuthorUndecided):
            await hear(text="autre chose", by=by)
    assert await hear(text=ANSWER, by="ann@acme.example") is Outcome.STAFF_ANSWERED
