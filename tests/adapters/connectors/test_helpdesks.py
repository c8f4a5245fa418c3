"""All helpdesks over a real connection: results that are certain, and unknown results."""

import base64
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

import httpx
import pytest

from adapters.connectors.http import open_client
from domain.core.attached_file import AttachedFile
from domain.integrations.errors import (
    ActionForbidden,
    ActionRefused,
    ActionUnknown,
    ActionUnreachable,
    NotAuthorized,
)
from domain.integrations.ports import HelpdeskTicket
from domain.integrations.providers import Provider
from embedded.ports import free_port
from tests.support.intake.attachments import INVOICE, PHOTO
from tests.support.integrations.desks import DESKS, Desk, desk_of
from tests.support.servers.freshdesk import FreshdeskServer
from tests.support.servers.gorgias import GorgiasServer
from tests.support.servers.http_service import Fault
from tests.support.servers.zendesk import ZendeskServer

KEY = "3f2b7c1e-0000-5000-8000-000000000001"


# Network failures are distinguished in one place, so two helpdesks cover every failure.
_FAULTS = [
    (name, fault)
    for name in DESKS
    for fault in Fault
    if name in {"zendesk", "gorgias"} or fault in {Fault.CUT, Fault.STATUS}
]
_each_fault = pytest.mark.parametrize(("desk", "fault"), _FAULTS, indirect=["desk"])


@pytest.fixture(params=DESKS)
def desk(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    monkeypatch.setattr("adapters.connectors.http.CALL_S", 0.7)
    with desk_of(request.param) as desk:
        yield desk


@pytest.fixture
async def http() -> AsyncIterator[httpx.AsyncClient]:
    async with open_client() as client:
        yield client


@pytest.fixture(params=["reply", "note"])
def say(
    request: pytest.FixtureRequest, desk: Desk, http: httpx.AsyncClient
) -> Callable[[bool], Awaitable[str]]:
    """Post in the ticket; return whether an earlier attempt had started."""

    async def write(again: bool) -> str:
        helpdesk = desk.helpdesk(http)
        method = helpdesk.reply if request.param == "reply" else helpdesk.note
        return await method(desk.ticket, "Bonjour,\n\nvoilà.", KEY, again=again)

    return write


Say = Callable[[bool], Awaitable[str]]


async def test_said_once(desk: Desk, say: Say) -> None:
    said = await say(False)

    assert desk.written() == 1
    # Found again by its key, or by the id under which it was created.
    assert await say(True) == said
    assert desk.written() == 1


@pytest.mark.parametrize("after", [False, True])
@_each_fault
async def test_unknown_and_then_exactly_one(
    desk: Desk, say: Say, fault: Fault, after: bool
) -> None:
    """Repeating the action leads to exactly one message, whether or not the first attempt
    succeeded."""
    desk.server.fail_next(fault, desk.write, after=after)

    with pytest.raises(ActionUnknown):
        await say(False)
    assert desk.written() == int(after)

    await say(True)
    assert desk.written() == 1


@pytest.mark.parametrize("status", [401, 403, 404, 422, 429, 500, 503])
async def test_never_repeated_where_nobody_can_look(desk: Desk, say: Say, status: int) -> None:
    desk.server.fail_next(Fault.STATUS, desk.write, after=True)
    with pytest.raises(ActionUnknown):
        await say(False)
    desk.server.fail_next(Fault.STATUS, "GET", status=status, headers={"retry-after": "1"})

    with pytest.raises(ActionUnknown):
        await say(True)
    assert desk.written() == 1


@pytest.mark.parametrize(
    ("desk", "fault"),
    [
        (name, fault)
        for name, fault in _FAULTS
        if fault not in {Fault.STATUS, Fault.DRIP, Fault.LATE}
    ],
    indirect=["desk"],
)
async def test_an_unreadable_answer_is_none(desk: Desk, say: Say, fault: Fault) -> None:
    desk.server.fail_next(fault, "GET")

    with pytest.raises(ActionUnknown):
        await say(True)
    assert desk.written() == 0


async def test_begun_before_and_then_too_many_requests(desk: Desk, say: Say) -> None:
    """The first attempt may still be running, so its outcome remains unknown."""
    desk.server.fail_next(Fault.STATUS, desk.write, status=429)

    with pytest.raises(ActionUnknown):
        await say(True)


@pytest.mark.parametrize("status", [302, 400, 403, 404, 422])
async def test_refused(desk: Desk, say: Say, status: int) -> None:
    desk.server.fail_next(Fault.STATUS, desk.write, status=status)

    with pytest.raises(ActionRefused) as caught:
        await say(False)
    # One inaccessible ticket does not disconnect the whole connection.
    assert not isinstance(caught.value, NotAuthorized)
    assert desk.written() == 0


async def test_too_many_requests(desk: Desk, say: Say) -> None:
    desk.server.fail_next(Fault.STATUS, desk.write, status=429, headers={"Retry-After": "7"})

    with pytest.raises(ActionUnreachable) as caught:
        await say(False)
    assert caught.value.retry_after_s == 7


async def test_nobody_listens(desk: Desk, http: httpx.AsyncClient) -> None:
    settings = {**desk.integration.settings, "base_url": f"http://127.0.0.1:{free_port()}"}
    helpdesk = desk.make(
        desk.integration.model_copy(update={"settings": settings}), desk.credentials, http
    )

    with pytest.raises(ActionUnreachable):
        await helpdesk.reply(desk.ticket, "x", KEY, again=False)
    with pytest.raises(ActionUnreachable):
        await helpdesk.tag(desk.ticket, ("a",))


async def test_a_firewall_before_the_account_says_nothing_of_the_credentials(
    desk: Desk, http: httpx.AsyncClient
) -> None:
    desk.server.fail_next(Fault.STATUS, "GET", status=403)

    with pytest.raises(ActionForbidden):
        await desk.helpdesk(http).check()
    await desk.helpdesk(http).check()


async def test_credentials_that_are_no_longer_taken(desk: Desk, http: httpx.AsyncClient) -> None:
    name = next(name for name in desk.credentials if name != "email")
    helpdesk = desk.helpdesk(http, **{name: "CANARYold0secret"})

    with pytest.raises(NotAuthorized):
        await helpdesk.reply(desk.ticket, "x", KEY, again=False)
    with pytest.raises(NotAuthorized):
        await helpdesk.tag(desk.ticket, ("a",))


@pytest.mark.parametrize(
    "number", ["", "0", "-1", "1/../2", "1.json?x=", "٣", "01ARZ3NDEKTSV4RRFFQ69G5FAV", "9" * 20]
)
async def test_what_is_no_ticket(desk: Desk, http: httpx.AsyncClient, number: str) -> None:
    ticket = desk.ticket.model_copy(update={"id": number})
    helpdesk = desk.helpdesk(http)

    for act in (
        helpdesk.reply(ticket, "x", KEY, again=False),
        helpdesk.note(ticket, "x", KEY, again=False),
        helpdesk.tag(ticket, ("a",)),
    ):
        with pytest.raises(ActionRefused):
            await act
    assert desk.server.seen == []


async def test_tags_are_added(desk: Desk, http: httpx.AsyncClient) -> None:
    desk.tags().append("vip")
    helpdesk = desk.helpdesk(http)

    for _ in range(2):
        await helpdesk.tag(desk.ticket, ("ai", "refund"))

    assert desk.tags() == ["vip", "ai", "refund"]


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize(
    ("desk", "fault"),
    [
        (name, fault)
        for name, fault in _FAULTS
        if fault in {Fault.CUT, Fault.HANG, Fault.STATUS, Fault.HUGE}
    ],
    indirect=["desk"],
)
async def test_tags_may_always_be_added_again(
    desk: Desk, http: httpx.AsyncClient, fault: Fault, after: bool
) -> None:
    by_put = desk.integration.provider in (Provider.ZENDESK, Provider.FRESHDESK)
    desk.server.fail_next(fault, "PUT" if by_put else "POST", after=after)
    helpdesk = desk.helpdesk(http)

    with pytest.raises(ActionUnreachable):
        await helpdesk.tag(desk.ticket, ("ai",))
    await helpdesk.tag(desk.ticket, ("ai",))
    assert desk.tags() == ["ai"]


async def test_the_words_are_only_words(desk: Desk, http: httpx.AsyncClient) -> None:
    """The text contains no markup and no placeholder that the helpdesk would fill in."""
    await desk.helpdesk(http).reply(
        desk.ticket, "<b>1 < 2</b> {{ticket.id}} {% x %} {{{y", KEY, again=False
    )

    sent = str(desk.server.seen[-1].body)
    assert "&lt;b&gt;1 &lt; 2&lt;/b&gt; { {ticket.id}} { % x %} { { {y" in sent
    assert "{{" not in sent
    assert "{%" not in sent


@pytest.mark.parametrize(
    ("desk", "fault"),
    [*((name, None) for name in DESKS), *_FAULTS],
    indirect=["desk"],
)
async def test_no_secret_is_told(
    desk: Desk, say: Say, fault: Fault | None, caplog: pytest.LogCaptureFixture
) -> None:
    """No secret appears in a log of any level, in an error or in its causes."""
    caplog.set_level(logging.DEBUG)
    told = ""
    if fault is not None:
        desk.server.fail_next(fault, desk.write, status=401)
    try:
        await say(False)
    except (ActionRefused, ActionUnknown) as error:
        chain: BaseException | None = error
        while chain is not None:
            told += f"{chain!r} {chain} {vars(chain)}"
            chain = chain.__cause__ or chain.__context__
    assert bool(told) == (fault is not None)
    assert desk.server.seen  # it was sent there

    told += caplog.text + "".join(str(vars(record)) for record in caplog.records)
    sent = desk.server.seen[-1].authorization.partition(" ")[2]
    for secret in (*desk.credentials.values(), sent, "voilà", "Bonjour"):
        assert secret not in told


def _received(desk: Desk) -> list[tuple[str, str, bytes]]:
    """Return the name, type and content of each file in the ticket's messages."""
    match desk.server:
        case ZendeskServer() as server:
            (ticket,) = server.tickets.values()
            tokens = [token for one in ticket.comments for token in one.get("uploads", ())]
            return [server.uploads[token] for token in tokens]
        case GorgiasServer() as server:
            (talk,) = server.tickets.values()
            files = [file for one in talk.messages for file in one.get("attachments", ())]
            kept = [server.uploads[file["url"]] for file in files]
            assert [(one["name"], one["size"]) for one in files] == [
                (name, len(data)) for name, _, data in kept
            ]
            return kept
        case FreshdeskServer() as server:
            return server.uploads
    sent = [one.body for one in desk.server.seen if one.path.endswith("/reply")]
    return [
        (file["name"], file["content_type"], base64.b64decode(file["data"]))
        for body in sent
        for file in body.get("attachment_files", ())
    ]


async def test_a_reply_with_files(desk: Desk, http: httpx.AsyncClient) -> None:
    helpdesk = desk.helpdesk(http)
    files = (PHOTO, AttachedFile("Facture été.pdf", "application/pdf", INVOICE.data))

    said = await helpdesk.reply(desk.ticket, "Voici.", KEY, again=False, files=files)

    assert _received(desk) == [(one.name, one.claimed_type, one.data) for one in files]
    assert await helpdesk.reply(desk.ticket, "Voici.", KEY, again=True, files=files) == said
    assert desk.written() == 1


@pytest.mark.parametrize("desk", ["zendesk", "gorgias"], indirect=True)
async def test_a_failed_upload_has_no_effect(desk: Desk, http: httpx.AsyncClient) -> None:
    desk.server.fail_next(Fault.CUT, "POST")

    with pytest.raises(ActionUnreachable):
        await desk.helpdesk(http).reply(desk.ticket, "Voici.", KEY, again=False, files=(PHOTO,))

    assert desk.written() == 0


async def _act(desk: Desk, http: httpx.AsyncClient, what: str, ticket: HelpdeskTicket) -> None:
    helpdesk = desk.helpdesk(http)
    if what == "tag":
        await helpdesk.tag(ticket, ("vip",))
    elif what == "note":
        await helpdesk.note(ticket, "vu", KEY, again=False)
    else:
        await helpdesk.reply(ticket, "Bonjour", KEY, again=False)


@pytest.mark.parametrize("what", ["reply", "note", "tag"])
async def test_nothing_is_written_in_another_customers_ticket(
    desk: Desk, http: httpx.AsyncClient, what: str
) -> None:
    """Attack: an event for one customer names another customer's ticket."""
    eve = "eve@evil.example"
    ticket = desk.ticket.model_copy(update={"customer_email": eve, "requester_email": eve})
    with pytest.raises(ActionRefused):
        await _act(desk, http, what, ticket)
    assert (desk.written(), desk.tags()) == (0, [])


@pytest.mark.parametrize("what", ["note", "tag"])
async def test_a_ticket_that_the_helpdesk_reported_is_not_compared(
    desk: Desk, http: httpx.AsyncClient, what: str
) -> None:
    """A colleague of the requester, or a form, may have written the message."""
    ticket = desk.ticket.model_copy(update={"customer_email": "colleague@example.com"})
    await _act(desk, http, what, ticket)
    assert (desk.written(), desk.tags()) == ((1, []) if what == "note" else (0, ["vip"]))


async def test_the_requesters_own_ticket_takes_a_note(desk: Desk, http: httpx.AsyncClient) -> None:
    own = desk.ticket.customer_email
    ticket = desk.ticket.model_copy(update={"requester_email": own and own.upper()})
    await _act(desk, http, "note", ticket)
    assert desk.written() == 1
