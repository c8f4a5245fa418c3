"""Zendesk's specifics: safe updates, audits, closed tickets, recipients of a public comment."""

from collections.abc import AsyncIterator, Iterator

import pytest

from adapters.connectors.http import open_client
from adapters.connectors.zendesk import Zendesk
from domain.integrations.errors import ActionRefused, ActionUnknown, ActionUnreachable
from domain.integrations.integration import Integration
from domain.integrations.ports import HelpdeskTicket
from domain.integrations.providers import Provider
from tests.support.servers.http_service import Fault
from tests.support.servers.zendesk import API_TOKEN, EMAIL, ZendeskServer, zendesk_server

KEY = "3f2b7c1e-0000-5000-8000-000000000001"


@pytest.fixture
def server() -> Iterator[ZendeskServer]:
    with zendesk_server() as server:
        yield server


@pytest.fixture
async def desk(server: ZendeskServer) -> AsyncIterator[Zendesk]:
    settings = {"subdomain": "acme", "email": EMAIL, "base_url": server.url}
    integration = Integration(id="i", provider=Provider.ZENDESK, settings=settings, sealed="s")
    async with open_client() as http:
        yield Zendesk.of(integration, {"api_token": API_TOKEN}, http)


def ticket(number: str, email: str | None = "lea@example.com") -> HelpdeskTicket:
    return HelpdeskTicket(id=number, customer_email=email)


async def test_a_reply_is_public_and_a_note_is_not(server: ZendeskServer, desk: Zendesk) -> None:
    number = server.open_ticket("lea@example.com")

    await desk.reply(ticket(number), "Bonjour\nLéa\n\nÀ bientôt", KEY, again=False)
    await desk.note(ticket(number), "vu", "other", again=False)

    reply, note = server.tickets[number].comments
    assert (reply["public"], reply["html_body"]) == (True, "<p>Bonjour<br>Léa</p><p>À bientôt</p>")
    assert (note["public"], note["html_body"]) == (False, "<p>vu</p>")
    audits = server.tickets[number].audits
    assert [audit["metadata"]["custom"]["action_key"] for audit in audits] == [KEY, "other"]


@pytest.mark.parametrize(("status", "noted"), [("solved", True), ("closed", False)])
async def test_a_ticket_that_is_over(
    server: ZendeskServer, desk: Zendesk, status: str, noted: bool
) -> None:
    number = server.open_ticket("lea@example.com", status)

    with pytest.raises(ActionRefused):
        await desk.reply(ticket(number), "x", KEY, again=False)
    if noted:
        await desk.note(ticket(number), "x", KEY, again=False)
        await desk.tag(ticket(number), ("ai",))
    else:
        with pytest.raises(ActionRefused):
            await desk.note(ticket(number), "x", KEY, again=False)
        with pytest.raises(ActionRefused):
            await desk.tag(ticket(number), ("ai",))
    assert len(server.tickets[number].comments) == int(noted)


async def test_closed_between_look_and_update(server: ZendeskServer, desk: Zendesk) -> None:
    number = server.open_ticket("lea@example.com")
    server.fail_next(Fault.STATUS, "PUT", status=422)

    with pytest.raises(ActionRefused):
        await desk.reply(ticket(number), "x", KEY, again=False)


async def test_said_before_the_ticket_was_closed(server: ZendeskServer, desk: Zendesk) -> None:
    number = server.open_ticket("lea@example.com")
    said = await desk.reply(ticket(number), "x", KEY, again=False)
    server.tickets[number].status = "closed"

    assert await desk.reply(ticket(number), "x", KEY, again=True) == said


@pytest.mark.parametrize(
    ("requester", "meant", "allowed"),
    [
        ("lea@example.com", "LEA@example.com ", True),
        ("eve@example.com", "lea@example.com", False),
        (None, "lea@example.com", True),
        ("lea@example.com", None, True),
    ],
)
async def test_whose_ticket_it_is(
    server: ZendeskServer, desk: Zendesk, requester: str | None, meant: str | None, allowed: bool
) -> None:
    number = server.open_ticket(requester)

    if not allowed:
        with pytest.raises(ActionRefused):
            await desk.reply(ticket(number, meant), "x", KEY, again=False)
        await desk.note(ticket(number, meant), "staff may know", KEY, again=False)
    else:
        await desk.reply(ticket(number, meant), "x", KEY, again=False)
    assert [it["public"] for it in server.tickets[number].comments] == [allowed]


@pytest.mark.parametrize("again", [False, True])
async def test_somebody_else_works_on_it(server: ZendeskServer, desk: Zendesk, again: bool) -> None:
    number = server.open_ticket("lea@example.com")
    server.collide = 2
    await desk.reply(ticket(number), "x", KEY, again=again)
    assert len(server.tickets[number].comments) == 1

    server.collide = 3
    with pytest.raises(ActionUnknown if again else ActionUnreachable):
        await desk.reply(ticket(number), "x", "other", again=again)
    server.collide = 3
    with pytest.raises(ActionUnreachable):
        await desk.tag(ticket(number), ("ai",))
    server.collide = 2
    await desk.tag(ticket(number), ("ai",))
    assert len(server.tickets[number].comments) == 1
    assert server.tickets[number].tags == ["ai"]


async def test_a_late_first_try_and_a_second_cannot_both_be(
    server: ZendeskServer, desk: Zendesk
) -> None:
    """The first request is still in progress when the second one checks: Zendesk accepts only one
    of them."""
    number = server.open_ticket("lea@example.com")
    server.fail_next(Fault.CUT, "PUT")
    with pytest.raises(ActionUnknown):
        await desk.reply(ticket(number), "x", KEY, again=False)
    first = server.seen[-1]

    await desk.reply(ticket(number), "x", KEY, again=True)
    assert server.route(first).status == 409
    assert len(server.tickets[number].comments) == 1


async def test_a_long_history(server: ZendeskServer, desk: Zendesk) -> None:
    """The pages are searched newest first, up to a limit."""
    number = server.open_ticket("lea@example.com")
    said = await desk.reply(ticket(number), "x", KEY, again=False)
    for index in range(20):
        await desk.note(ticket(number), "x", f"other {index}", again=False)
    server.page_size = 3

    assert await desk.reply(ticket(number), "x", KEY, again=True) == said
    server.page_size = 2
    with pytest.raises(ActionUnknown):
        await desk.reply(ticket(number), "x", KEY, again=True)
    assert len(server.tickets[number].comments) == 21


async def test_tags_as_zendesk_writes_them(server: ZendeskServer, desk: Zendesk) -> None:
    number = server.open_ticket("lea@example.com")

    for _ in range(2):
        await desk.tag(ticket(number), ("AI answered",))

    assert server.tickets[number].tags == ["ai_answered"]
    assert [it.method for it in server.seen] == ["GET", "PUT", "GET"]
