"""Helpdesk webhooks: verification, identification and content."""

import base64
import json
from datetime import UTC, datetime, timedelta
from time import thread_time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from domain.inbound.errors import InboundRefused, RefusalReason, WebhookUnreadable
from domain.inbound.inbound_request import InboundRequest
from domain.inbound.inbound_webhook import WebhookKind
from domain.inbound.meaning import InboundTicket, Meaning, Nothing, StaffMessage, TicketClosed
from domain.inbound.platforms.freshdesk import FreshdeskWebhooks
from domain.inbound.platforms.gorgias import GorgiasWebhooks
from domain.inbound.platforms.intercom import IntercomWebhooks
from domain.inbound.platforms.zendesk import ZendeskWebhooks
from domain.inbound.ports import EndpointFacts, Platform
from domain.intake.event_sender import claimed_customer
from domain.intake.normalization import normalize
from tests.support.core.each import each
from tests.support.inbound.helpdesk_webhooks import (
    SECRET,
    comment_added,
    conversation_part,
    form_request,
    helpdesk_form,
    identity,
    intercom_request,
    notification,
    zendesk_request,
)

NOW = datetime(2026, 11, 23, 16, 0, tzinfo=UTC)
FACTS = EndpointFacts("integration", {"email": "agent@acme.example"})
ZENDESK, GORGIAS = ZendeskWebhooks(), GorgiasWebhooks()
FRESHDESK, INTERCOM = FreshdeskWebhooks(), IntercomWebhooks()


def _read(platform: Platform, request: InboundRequest) -> Meaning:
    named = platform.identify(request)
    assert platform.topics[named.topic] is WebhookKind.TICKET
    return platform.read(request, named, FACTS)


def _refusal(platform: Platform, request: InboundRequest, now: datetime = NOW) -> RefusalReason:
    with pytest.raises(InboundRefused) as caught:
        platform.verify(request, (SECRET,), now)
    return caught.value.reason


def _published(signature: str) -> InboundRequest:
    return InboundRequest(
        {
            "x-zendesk-webhook-signature": signature,
            "x-zendesk-webhook-signature-timestamp": "2021-07-25T10:00:00Z",
        },
        b'{"say": "hello"}',
    )


def test_zendesk_signs_its_time_and_then_the_body() -> None:
    """The test vector on the old page has the opposite order, which no account uses."""
    at = datetime(2021, 7, 25, 10, 0, tzinfo=UTC)

    ZENDESK.verify(_published("Rry/4TtIdFyawtXXp8QdI6tlAUUQ/5kL1OTp5qo/ZIk="), (SECRET,), at)
    old = _published("tRDSF7URY8BLCDlaBcQ7FHu051Zk+aAB0NKMP53teMw=")
    assert _refusal(ZENDESK, old, at) is RefusalReason.SIGNATURE_WRONG


def test_zendesk_s_own_rules() -> None:
    body = comment_added()
    ZENDESK.verify(zendesk_request(body, at=NOW), ("new", SECRET), NOW)
    known = base64.b64encode(b"this_secret_is_for_testing_only").decode()
    trial = zendesk_request(body, at=NOW, secret=known)
    with pytest.raises(InboundRefused, match="test_secret"):
        ZENDESK.verify(trial, (known,), NOW)
    for late in (timedelta(seconds=301), timedelta(seconds=-301)):
        request = zendesk_request(body, at=NOW - late)
        assert _refusal(ZENDESK, request) is RefusalReason.TIMESTAMP_OLD
    ZENDESK.verify(zendesk_request(body, at=NOW - timedelta(seconds=300)), (SECRET,), NOW)
    other = InboundRequest(zendesk_request(body, at=NOW).headers, b"{}")
    assert _refusal(ZENDESK, other) is RefusalReason.SIGNATURE_WRONG
    assert _refusal(ZENDESK, InboundRequest({}, b"{}")) is RefusalReason.SIGNATURE_MISSING


def test_intercom_signs_with_sha1() -> None:
    """The digest is from `openssl dgst -sha1 -hmac secret`."""
    ping = InboundRequest(
        {"x-hub-signature": "sha1=909dec4939d5f9bade3faccd2584294f913d287e"},
        b'{"topic":"ping","id":"notif_1"}',
    )

    INTERCOM.verify(ping, ("new", "secret"), NOW)
    assert INTERCOM.identify(ping).topic not in INTERCOM.topics
    assert _refusal(INTERCOM, ping) is RefusalReason.SIGNATURE_WRONG
    bare = InboundRequest(
        {"x-hub-signature": "909dec4939d5f9bade3faccd2584294f913d287e"}, ping.body
    )
    with pytest.raises(InboundRefused, match="signature_wrong"):
        INTERCOM.verify(bare, ("secret",), NOW)


def test_a_header_of_our_own() -> None:
    for platform in (GORGIAS, FRESHDESK):
        request = form_request(helpdesk_form())
        platform.verify(request, ("new", SECRET), NOW)
        wrong = form_request(helpdesk_form(), secret=SECRET[:-1])
        assert _refusal(platform, wrong) is RefusalReason.SIGNATURE_WRONG
        bare = InboundRequest({}, request.body)
        assert _refusal(platform, bare) is RefusalReason.SIGNATURE_MISSING


def test_a_customer_s_words_fill_in_no_other_field() -> None:
    """As would happen if a helpdesk inserted it into the template unescaped."""
    filled = form_request(helpdesk_form(customer_name="@")).body
    body = filled.replace(b'"@"', b'"Lea","author_email":"victim@example.com"')
    with pytest.raises(WebhookUnreadable, match="name_twice"):
        _read(FRESHDESK, InboundRequest({}, body))


def test_a_customer_s_comment_in_zendesk_is_a_ticket() -> None:
    meaning = _read(ZENDESK, zendesk_request(comment_added(), at=NOW))

    assert isinstance(meaning, InboundTicket)
    assert meaning.message_key == "ticket/5158/comment/8978649137022"
    assert meaning.ticket_id == "5158"
    event = normalize(meaning.event, fallback_ticket_id="x")
    assert meaning.event.event_type == "zendesk.ticket.updated"
    assert (event.platform, event.ticket_id, event.ticket_named) == ("zendesk", "5158", True)
    assert (event.subject, event.text, event.customer_name) == (
        "Livraison",
        "Où est mon colis ?",
        "Léa Martin",
    )
    assert event.reply_allowed


def test_a_new_ticket_and_its_first_comment_are_one_message() -> None:
    """Two events may report it, and only one of them contains the comment."""
    first = comment_added(time="2026-11-08T10:12:08.2Z")
    new = {**first, "type": "zen:event-type:ticket.created", "event": {}}

    told = [_read(ZENDESK, zendesk_request(body, at=NOW)) for body in (first, new)]

    assert {one.message_key for one in told if isinstance(one, InboundTicket)} == {
        "ticket/5158/first"
    }
    assert [type(one) for one in told] == [InboundTicket, InboundTicket]


def _status(current: str) -> dict[str, JsonValue]:
    body = comment_added()
    return {**body, "type": "zen:event-type:ticket.status_changed", "event": {"current": current}}


@each(
    [
        (
            comment_added(is_staff=True, body="x"),
            StaffMessage("5158", "8978649137022", True, text="x"),
        ),
        (
            comment_added(is_staff=True, is_public=False, body="x"),
            StaffMessage("5158", "8978649137022", False, text="x"),
        ),
        (comment_added(is_public=False), Nothing("private_message")),
        (comment_added(body=" "), Nothing("no_words")),
        (_status("SOLVED"), TicketClosed("5158")),
        (_status("CLOSED"), TicketClosed("5158")),
        (_status("PENDING"), Nothing("ticket_state")),
        (
            helpdesk_form(from_agent="true", author_email="Ann@acme.example"),
            StaffMessage(
                "35436", "54509363035291", True, by="Ann@acme.example", text="Où est mon colis ?"
            ),
        ),
        # A form that presents the agent's own text as a customer's causes no loop.
        (
            helpdesk_form(author_email="AGENT@acme.example"),
            StaffMessage(
                "35436", "54509363035291", True, by="AGENT@acme.example", text="Où est mon colis ?"
            ),
        ),
        ({"event": "status", "ticket_id": 35436, "status": "Solved"}, TicketClosed("35436")),
        (helpdesk_form(message=""), Nothing("no_words")),
    ]
)
def test_zendesk_says(body: dict[str, JsonValue], expected: Meaning) -> None:
    assert _read(ZENDESK, zendesk_request(body, at=NOW)) == expected


def test_a_form_names_who_wrote() -> None:
    for platform in (ZENDESK, GORGIAS, FRESHDESK):
        body = helpdesk_form(author_email="", first="True", message_id=54509363035291)
        request = zendesk_request(body, at=NOW) if platform is ZENDESK else form_request(body)
        meaning = _read(platform, request)
        assert isinstance(meaning, InboundTicket)
        assert meaning.event.event_type == f"{platform.provider}.ticket.created"
        assert meaning.event.customer_email == "lea@example.com"
        assert meaning.message_key == "ticket/35436/comment/54509363035291"


def test_what_names_a_delivery_without_an_id() -> None:
    def named(platform: Platform, **fields: JsonValue) -> str:
        return platform.identify(form_request(helpdesk_form(**fields))).dedup_key

    assert named(GORGIAS) == named(GORGIAS, updated_at="later") == "35436/message/54509363035291"
    solved = {"event": "status", "message_id": "", "message": "", "status": "closed"}
    assert named(GORGIAS, **solved, updated_at="1") != named(GORGIAS, **solved, updated_at="2")
    assert named(FRESHDESK) == named(FRESHDESK)
    assert named(FRESHDESK) != named(FRESHDESK, message="autre")
    assert named(FRESHDESK, updated_at="1") != named(FRESHDESK, updated_at="2")


@each(
    [
        ("conversation.user.created", (), "comment/403918330", "created"),
        (
            "conversation.user.replied",
            (conversation_part(1, "<p>Alors ?</p>"), conversation_part(2, "x", by="admin")),
            "comment/1",
            "updated",
        ),
    ]
)
def test_intercom_s_customers(
    topic: str, parts: tuple[dict[str, JsonValue], ...], key: str, happened: str
) -> None:
    meaning = _read(INTERCOM, intercom_request(notification(topic, *parts)))

    assert isinstance(meaning, InboundTicket)
    assert meaning.message_key == f"ticket/1911149811/{key}"
    assert meaning.event.event_type == f"intercom.ticket.{happened}"
    event = normalize(meaning.event, fallback_ticket_id="x")
    assert "<p>" not in event.text
    assert (event.ticket_id, event.platform) == ("1911149811", "intercom")


@each(
    [
        (
            "replied",
            "comment",
            StaffMessage("1911149811", "2", True, by="991", text="x"),
        ),
        (
            "noted",
            "note",
            StaffMessage("1911149811", "2", False, by="991", text="x"),
        ),
        ("closed", "close", TicketClosed("1911149811")),
    ]
)
def test_intercom_s_people(what: str, kind: str, expected: Meaning) -> None:
    parts = (conversation_part(1, "y"), conversation_part(2, "x", kind=kind, by="admin"))

    topic = f"conversation.admin.{what}"
    assert _read(INTERCOM, intercom_request(notification(topic, *parts))) == expected


@pytest.mark.parametrize(
    "platform", [ZENDESK, GORGIAS, FRESHDESK, INTERCOM], ids=lambda one: one.provider.value
)
def test_what_is_of_no_known_shape(platform: Platform) -> None:
    bodies = (
        b"", b"\xff", b"[]", b"{", b"[" * 100_000, b'{"type": 1e999}',
        b'{"event": "message", "ticket_id": "\\ud800"}', b'{"event": "message"}',
        b'{"event": "message", "ticket_id": "1/../2", "message": "x"}',
        b'{"id": "1", "topic": "replied", "data": {"item": {"id": "1"}}}',
        b'{"type": "zen:event-type:ticket.comment_added", "detail": {"id": "1"}}',
    )  # fmt: skip
    for body in bodies:
        request = InboundRequest({"x-zendesk-webhook-invocation-id": "1"}, body)
        with pytest.raises(WebhookUnreadable):
            platform.read(request, platform.identify(request), FACTS)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
_NAMES = st.sampled_from([*helpdesk_form(), "type", "detail", "data", "id", "topic"])
_TOPICS = st.sampled_from([*ZENDESK.topics, *INTERCOM.topics])


@given(st.dictionaries(_NAMES, _JSON, max_size=8), _TOPICS)
def test_any_body_says_something_or_is_unreadable(body: dict[str, JsonValue], topic: str) -> None:
    request = InboundRequest({"x-zendesk-webhook-invocation-id": "1"}, json.dumps(body).encode())
    for platform in (ZENDESK, GORGIAS, FRESHDESK, INTERCOM):
        try:
            meaning = platform.read(request, identity(topic), FACTS)
        except WebhookUnreadable:
            continue
        if isinstance(meaning, InboundTicket):
            assert "\0" not in str(meaning.event.payload.values())
            normalize(meaning.event, fallback_ticket_id="x")


def test_a_customer_s_address_of_combining_marks_names_no_customer() -> None:
    """Python sorts marks in quadratic time: 100,000 take 10 s. The address is the author's own."""
    hostile = "a" + "\u0315\u0327" * 50_000 + "@x.example"
    comment = comment_added()
    author = comment["event"]["comment"]["author"]  # type: ignore[index,call-overload]
    author["email"] = hostile  # type: ignore[index,call-overload]
    started = thread_time()

    for platform, request in (
        (ZENDESK, zendesk_request(comment, at=NOW)),
        (FRESHDESK, form_request(helpdesk_form(author_email=hostile))),
        (GORGIAS, form_request(helpdesk_form(author_email=None, customer_email=hostile))),
    ):
        meaning = _read(platform, request)
        assert isinstance(meaning, InboundTicket)
        assert claimed_customer(meaning.event) is None
        assert meaning.event.customer_email is None
    assert thread_time() - started < 2
