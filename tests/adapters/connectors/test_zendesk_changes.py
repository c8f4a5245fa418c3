"""Comments polled from Zendesk have the same author as in the comment's webhook."""

from datetime import timedelta

import pytest
from pydantic import JsonValue

from adapters.connectors.helpdesk import HelpdeskAccount, basic
from adapters.connectors.http import open_client
from adapters.connectors.zendesk_changes import ZendeskChanges
from adapters.system import utc_now
from domain.inbound.inbound_request import InboundRequest
from domain.inbound.inbound_webhook import Identity
from domain.inbound.meaning import InboundTicket
from domain.inbound.platforms.zendesk import ZendeskWebhooks
from domain.inbound.ports import EndpointFacts
from domain.intake.event import UnifiedEvent
from domain.intake.normalization import normalize
from domain.runs.conversation import conversation_key
from tests.support.inbound.helpdesk_webhooks import comment_added, helpdesk_form, zendesk_request
from tests.support.servers.zendesk import API_TOKEN, EMAIL, ZendeskServer, zendesk_server

ZENDESK = ZendeskWebhooks()
ANN = "ann@x.example"


def read(request: InboundRequest, identity: Identity) -> UnifiedEvent:
    meaning = ZENDESK.read(request, identity, EndpointFacts("integration"))
    assert isinstance(meaning, InboundTicket)
    return normalize(meaning.event, fallback_ticket_id="x")


def received(body: dict[str, JsonValue]) -> UnifiedEvent:
    request = zendesk_request(body, at=utc_now())
    return read(request, ZENDESK.identify(request))


async def polled(server: ZendeskServer) -> list[UnifiedEvent]:
    server.role = "admin"
    async with open_client() as http:
        account = HelpdeskAccount(http, server.url, basic(f"{EMAIL}/token", API_TOKEN))
        page = await ZendeskChanges(account).changes({}, utc_now() - timedelta(days=1))
    return [read(InboundRequest({}, one.body), one.identity) for one in page.changes]


def thread(event: UnifiedEvent) -> str:
    return conversation_key(event, "EVENT")


async def test_an_author_without_an_address_is_the_one_of_the_event() -> None:
    """For a call or a chat, Zendesk has a user without an address."""
    with zendesk_server() as server:
        ticket = server.open_ticket(None)
        server.write(ticket, "Where is my order?", utc_now() - timedelta(hours=1))
        [event] = await polled(server)
    webhook = comment_added(ticket_id=ticket, author_id="9")
    another = comment_added(ticket_id=ticket, author_id="10")

    assert event.author_id == received(webhook).author_id == "9"
    assert thread(event) == thread(received(webhook)) != thread(received(another))


async def test_an_author_with_an_address_is_the_one_of_the_triggers() -> None:
    """Triggers contain only the address. If the poll also used the id, a code requested through one
    could not be entered through the other."""
    with zendesk_server() as server:
        ticket = server.open_ticket(ANN)
        server.write(ticket, "Where is my order?", utc_now() - timedelta(hours=1))
        [event] = await polled(server)
    form = helpdesk_form(ticket_id=ticket, author_email=ANN, customer_email=ANN)

    assert (event.customer_email, event.author_id) == (ANN, None)
    assert thread(event) == thread(received(form))


@pytest.mark.parametrize("count", [1, 5, 6, 15])
async def test_every_ticket_of_a_page_is_asked_for_its_comments(count: int) -> None:
    with zendesk_server() as server:
        for number in range(count):
            ticket = server.open_ticket(ANN)
            server.write(ticket, f"Question {number}", utc_now() - timedelta(minutes=60 - number))
        events = await polled(server)

    assert [event.text for event in events] == [f"Question {number}" for number in range(count)]
