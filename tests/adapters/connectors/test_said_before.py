"""Our messages in helpdesks without idempotency keys: found by their text, or left to a human."""

from collections.abc import AsyncIterator, Iterator

import httpx
import pytest

from adapters.connectors.freshdesk import Freshdesk
from adapters.connectors.http import open_client
from adapters.connectors.intercom import Intercom
from domain.integrations.errors import ActionRefused, ActionUnknown
from domain.integrations.integration import Integration
from domain.integrations.ports import HelpdeskTicket
from domain.integrations.providers import Provider
from tests.support.servers import freshdesk, intercom

CUSTOMER = "lea@example.com"
WORDS = "Bonjour,\n\nvotre colis part <demain> & plus tôt."


@pytest.fixture
async def http() -> AsyncIterator[httpx.AsyncClient]:
    async with open_client() as client:
        yield client


@pytest.fixture
def intercom_server() -> Iterator[intercom.IntercomServer]:
    with intercom.intercom_server() as server:
        yield server


@pytest.fixture
def freshdesk_server() -> Iterator[freshdesk.FreshdeskServer]:
    with freshdesk.freshdesk_server() as server:
        yield server


def _intercom(server: intercom.IntercomServer, http: httpx.AsyncClient) -> Intercom:
    settings = {"admin_id": intercom.ADMIN_ID, "base_url": server.url}
    given = Integration(id="i", provider=Provider.INTERCOM, settings=settings, sealed="s")
    return Intercom.of(given, {"access_token": intercom.ACCESS_TOKEN}, http)


def _freshdesk(server: freshdesk.FreshdeskServer, http: httpx.AsyncClient) -> Freshdesk:
    settings = {"domain": "acme", "email": "agent@acme.example", "base_url": server.url}
    given = Integration(id="i", provider=Provider.FRESHDESK, settings=settings, sealed="s")
    return Freshdesk.of(given, {"api_key": freshdesk.API_KEY}, http)


def _ticket(number: str, email: str = CUSTOMER) -> HelpdeskTicket:
    return HelpdeskTicket(id=number, customer_email=email)


async def test_the_same_words_to_an_earlier_message_are_no_proof(
    intercom_server: intercom.IntercomServer,
    freshdesk_server: freshdesk.FreshdeskServer,
    http: httpx.AsyncClient,
) -> None:
    conversation = intercom_server.open_conversation(CUSTOMER)
    number = freshdesk_server.open_ticket(CUSTOMER)
    for desk, ticket, customer_says in (
        (_intercom(intercom_server, http), conversation, intercom_server.customer_says),
        (_freshdesk(freshdesk_server, http), number, freshdesk_server.customer_says),
    ):
        first = await desk.reply(_ticket(ticket), WORDS, "k", again=False)
        # A note with the same text does not count.
        note = await desk.note(_ticket(ticket), WORDS, "k", again=True)
        assert await desk.reply(_ticket(ticket), WORDS, "k", again=True) == first != note
        customer_says(ticket, "Et encore ?")
        with pytest.raises(ActionUnknown):
            await desk.reply(_ticket(ticket), WORDS, "k", again=True)
        other = await desk.reply(_ticket(ticket), "Autre chose.", "k", again=True)
        assert other not in (first, note)


async def test_an_answer_that_was_sent_without_the_disclosure_is_found(
    intercom_server: intercom.IntercomServer,
    freshdesk_server: freshdesk.FreshdeskServer,
    http: httpx.AsyncClient,
) -> None:
    """The version before the upgrade sent the text without the disclosure."""
    conversation = intercom_server.open_conversation(CUSTOMER)
    number = freshdesk_server.open_ticket(CUSTOMER)
    now_sent = f"{WORDS}\n\nUne IA vous répond."
    for desk, ticket in (
        (_intercom(intercom_server, http), conversation),
        (_freshdesk(freshdesk_server, http), number),
    ):
        first = await desk.reply(_ticket(ticket), WORDS, "k", again=False)
        found = await desk.reply(_ticket(ticket), now_sent, "k", again=True, bare=WORDS)
        assert found == first
        other = await desk.reply(_ticket(ticket), "Autre.\n\nIA.", "k", again=True, bare="Autre.")
        assert other != first


async def test_neither_what_people_closed_nor_another_customer_s(
    intercom_server: intercom.IntercomServer,
    freshdesk_server: freshdesk.FreshdeskServer,
    http: httpx.AsyncClient,
) -> None:
    one, other = _intercom(intercom_server, http), _freshdesk(freshdesk_server, http)
    conversation = intercom_server.open_conversation(CUSTOMER, "closed")
    number = freshdesk_server.open_ticket(CUSTOMER, freshdesk.RESOLVED)
    for act in (
        one.reply(_ticket(conversation), "x", "k", again=False),
        other.reply(_ticket(number), "x", "k", again=False),
        one.reply(
            _ticket(intercom_server.open_conversation(CUSTOMER), "b@b.example"), "x", "k",
            again=False,
        ),
        other.reply(
            _ticket(freshdesk_server.open_ticket(CUSTOMER), "b@b.example"), "x", "k", again=False
        ),
    ):  # fmt: skip
        with pytest.raises(ActionRefused):
            await act
    # A note can be found anywhere in the ticket.
    await one.note(_ticket(conversation), "x", "k", again=False)
    await other.note(_ticket(number), "x", "k", again=False)


async def test_a_ticket_too_long_to_look_through(
    freshdesk_server: freshdesk.FreshdeskServer, http: httpx.AsyncClient
) -> None:
    number = freshdesk_server.open_ticket(CUSTOMER)
    for _ in range(200):
        freshdesk_server.customer_says(number, "?")
    with pytest.raises(ActionUnknown):
        await _freshdesk(freshdesk_server, http).reply(_ticket(number), "x", "k", again=True)


async def test_who_we_are(
    intercom_server: intercom.IntercomServer,
    freshdesk_server: freshdesk.FreshdeskServer,
    http: httpx.AsyncClient,
) -> None:
    await _intercom(intercom_server, http).check()
    await _freshdesk(freshdesk_server, http).check()
