"""What is specific to Gorgias: recipients of a reply, and how a message is found again."""

from collections.abc import AsyncIterator, Iterator

import pytest

from adapters.connectors.gorgias import Gorgias
from adapters.connectors.http import open_client
from domain.integrations.errors import ActionRefused, ActionUnknown
from domain.integrations.integration import Integration
from domain.integrations.ports import HelpdeskTicket
from domain.integrations.providers import Provider
from tests.support.servers.gorgias import API_KEY, LOGIN, GorgiasServer, gorgias_server

KEY = "3f2b7c1e-0000-5000-8000-000000000001"
SUPPORT = "support@acme.example"


@pytest.fixture
def server() -> Iterator[GorgiasServer]:
    with gorgias_server() as server:
        yield server


@pytest.fixture
async def desk(server: GorgiasServer) -> AsyncIterator[Gorgias]:
    settings = {"domain": "acme", "email": SUPPORT, "base_url": server.url}
    integration = Integration(id="i", provider=Provider.GORGIAS, settings=settings, sealed="s")
    async with open_client() as http:
        yield Gorgias.of(integration, {"email": LOGIN, "api_key": API_KEY}, http)


def ticket(number: str, email: str | None = "lea@example.com") -> HelpdeskTicket:
    return HelpdeskTicket(id=number, customer_email=email, subject="Ma commande")


async def test_a_reply_goes_to_the_customer_and_a_note_to_nobody(
    server: GorgiasServer, desk: Gorgias
) -> None:
    number = server.open_ticket()

    await desk.reply(ticket(number), "Bonjour\nLéa", KEY, again=False)
    await desk.note(ticket(number), "vu", "other", again=False)

    reply, note = server.tickets[number].messages
    assert reply["channel"] == "email"
    assert reply["receiver"] == {"email": "lea@example.com"}
    assert reply["source"]["from"] == {"address": SUPPORT}
    assert reply["source"]["to"] == [{"address": "lea@example.com"}]
    assert reply["sender"] == note["sender"] == {"email": LOGIN}
    assert (reply["subject"], reply["external_id"]) == ("Ma commande", KEY)
    assert (reply["body_text"], reply["body_html"]) == ("Bonjour\nLéa", "<p>Bonjour<br>Léa</p>")
    assert (note["channel"], note["public"]) == ("internal-note", False)
    assert "receiver" not in note
    # With a date, Gorgias would treat the message as already sent.
    assert not any("sent_datetime" in message for message in (reply, note))


async def test_nobody_to_write_to(server: GorgiasServer, desk: Gorgias) -> None:
    number = server.open_ticket()

    with pytest.raises(ActionRefused):
        await desk.reply(ticket(number, None), "x", KEY, again=False)
    await desk.note(ticket(number, None), "x", KEY, again=False)
    assert len(server.tickets[number].messages) == 1


async def test_a_ticket_that_is_not_there(desk: Gorgias) -> None:
    with pytest.raises(ActionRefused):
        await desk.reply(ticket("404"), "x", KEY, again=False)
    with pytest.raises(ActionRefused):
        await desk.tag(ticket("404"), ("ai",))


async def test_a_long_ticket(server: GorgiasServer, desk: Gorgias) -> None:
    """The pages are searched newest first, up to a limit."""
    number = server.open_ticket()
    said = await desk.reply(ticket(number), "x", KEY, again=False)
    for index in range(20):
        await desk.note(ticket(number), "x", f"other {index}", again=False)
    server.page_size = 3

    assert await desk.reply(ticket(number), "x", KEY, again=True) == said
    server.page_size = 2
    with pytest.raises(ActionUnknown):
        await desk.reply(ticket(number), "x", KEY, again=True)
    assert len(server.tickets[number].messages) == 21


async def test_another_tickets_message_is_not_found(server: GorgiasServer, desk: Gorgias) -> None:
    first, second = server.open_ticket(), server.open_ticket()
    await desk.reply(ticket(first), "x", KEY, again=False)

    await desk.reply(ticket(second), "x", KEY, again=True)
    assert len(server.tickets[second].messages) == 1
