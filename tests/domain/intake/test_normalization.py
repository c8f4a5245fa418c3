"""Five kinds of input, one shape."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from domain.intake.event import Channel, InboundEvent, UnifiedEvent
from domain.intake.normalization import MAX_FIELD_CHARS, channel_of, normalize
from domain.intake.order_number import find_order_number


def unified(
    event_type: str,
    payload: dict[str, JsonValue] | None = None,
    *,
    message: str | None = None,
    source: str | None = None,
    customer_email: str | None = None,
) -> UnifiedEvent:
    event = InboundEvent(
        event_type=event_type,
        source=source,
        message=message,
        customer_email=customer_email,
        payload=payload or {},
    )
    return normalize(event, fallback_ticket_id="evt_1")


@pytest.mark.parametrize(
    ("event_type", "source", "channel"),
    [
        ("email.inbound", None, Channel.EMAIL),
        ("email", "email", Channel.EMAIL),
        ("ticket.created", "email", Channel.EMAIL),
        ("widget.chat.message", None, Channel.WIDGET),
        ("shopify.ticket.created", None, Channel.SHOP),
        ("woocommerce.order.created", None, Channel.SHOP),
        ("prestashop", "prestashop", Channel.SHOP),
        ("shop.ticket", None, Channel.SHOP),
        ("zendesk.ticket.created", None, Channel.HELPDESK),
        ("zen:event-type:ticket.created", None, Channel.HELPDESK),
        ("gorgias.ticket-message-created", None, Channel.HELPDESK),
        ("ticket.created", "freshdesk", Channel.HELPDESK),
        ("email.inbound", "zendesk", Channel.EMAIL),
        ("api_direct", None, Channel.API),
        ("emailing.x", None, Channel.API),
        ("", "", Channel.API),
    ],
)
def test_channel(event_type: str, source: str | None, channel: Channel) -> None:
    assert channel_of(event_type, source) is channel


def test_shop_ticket() -> None:
    event = unified(
        "shopify.ticket.created",
        {
            "order_number": "#1001",
            "ticket_id": "T-9",
            "subject": "Colis",
            "customer": {"first_name": "Jean", "last_name": "Dupont"},
            "tracking_url": "https://t.example/1",
            "total": 49.9,
            "items": 2,
            "vip": True,
            "tags": ["a"],
            "html_body": "<p>x</p>",
            "not-a-key": "x",
        },
        message="Où est mon colis ?\n> cité",
        customer_email=" Jean@Example.com ",
    )
    assert event == UnifiedEvent(
        channel=Channel.SHOP,
        platform="shopify",
        ticket_id="T-9",
        ticket_named=True,
        customer_email="Jean@Example.com",
        customer_name="Jean Dupont",
        subject="Colis",
        text="Où est mon colis ?\n> cité",
        order_number="1001",
        fields={
            "ticket_id": "T-9",
            "tracking_url": "https://t.example/1",
            "total": "49.9",
            "items": "2",
            "order_number": "1001",
            "customer_name": "Jean Dupont",
            "customer_email": "Jean@Example.com",
            "subject": "Colis",
        },
    )


def test_shop_order_events() -> None:
    shopify = unified(
        "shopify.orders.create",
        {"id": 8_812, "name": "#1001", "email": "j@x.fr", "customer": {"first_name": "Jo"}},
    )
    assert (shopify.order_number, shopify.customer_name) == ("1001", "Jo")
    assert shopify.customer_email == "j@x.fr"
    assert shopify.ticket_id == "evt_1"
    woo = unified(
        "woocommerce.order.created",
        {"number": 727, "billing": {"first_name": "Jo", "last_name": "D", "email": "j@x.fr"}},
    )
    assert (woo.order_number, woo.customer_name, woo.customer_email) == ("727", "Jo D", "j@x.fr")


def test_inbound_email_html_only() -> None:
    event = unified(
        "email.inbound",
        {
            "from": "=?utf-8?q?Zo=C3=A9?= Martin <zoe@example.fr>",
            "to": "support@boutique.fr",
            "subject": "Re: Commande #4455",
            "html_body": "<p>Toujours rien.</p><blockquote type='cite'>Bonjour #1</blockquote>",
            "headers": [
                {"name": "Message-ID", "value": "<2@x.fr>"},
                {"name": "References", "value": "<0@b.fr>\r\n <1@b.fr>"},
                {"name": "In-Reply-To", "value": "<1@b.fr>"},
                {"name": "Auto-Submitted", "value": "no"},
                {"name": "Return-Path", "value": "<zoe@example.fr>"},
            ],
        },
    )
    assert event.channel is Channel.EMAIL
    assert event.text == "Toujours rien."
    assert (event.customer_name, event.customer_email) == ("Zoé Martin", "zoe@example.fr")
    assert event.order_number == "4455"
    assert (event.message_id, event.references) == ("<2@x.fr>", ("<0@b.fr>", "<1@b.fr>"))
    assert event.reply_allowed
    assert event.ticket_id == "evt_1"
    assert "html_body" not in event.fields


def test_email_text_is_preferred_to_html_and_message_wins() -> None:
    payload: dict[str, JsonValue] = {
        "text_body": "Du texte\n\nOn Thu, Mar 12, 2026 at 10:03 AM A <a@b.c> wrote:\n> x",
        "html_body": "<p>Du html</p>",
    }
    assert unified("email.inbound", payload).text == "Du texte"
    assert unified("email.inbound", payload, message="Le message").text == "Le message"
    assert unified("email.inbound", payload, message="<p>Le message</p>").text == "Le message"
    assert unified("email.inbound", {**payload, "text_body": " \n"}).text == "Du html"
    assert unified("api_direct", payload, message="<p>x</p>").text == "<p>x</p>"


def test_postmark_spelling() -> None:
    event = unified(
        "email.inbound",
        {
            "From": "jo@x.fr",
            "FromFull": {"Email": "jo@x.fr", "Name": "Jo"},
            "Subject": "Bonjour",
            "MessageID": "22c74902-a0c1-4511-804f-341342852c90",
            "TextBody": "Salut\n\n-- \nJo",
            "HtmlBody": "<p>Salut</p>",
            "Headers": [{"Name": "Message-ID", "Value": "<1@x.fr>"}],
        },
    )
    assert (event.text, event.subject, event.message_id) == ("Salut", "Bonjour", "<1@x.fr>")
    assert event.customer_email == "jo@x.fr"


def test_widget_message() -> None:
    event = unified("widget.chat.message", {"session_id": "s-1", "page_url": "/p"}, message="Salut")
    assert (event.channel, event.session_id, event.text) == (Channel.WIDGET, "s-1", "Salut")
    assert event.fields["page_url"] == "/p"


@pytest.mark.parametrize(
    ("event_type", "source", "verified"),
    [
        ("widget.chat.message", None, False),
        ("chat.message", "widget", False),
        ("shopify.chat.message", "Widget", False),
        ("zendesk.ticket.created", "widget:shop", False),
        ("shopify.chat.message", None, True),
        ("chat.message", "api_direct", True),
    ],
)
def test_a_visitor_of_a_widget_is_not_vouched_for(
    event_type: str, source: str | None, verified: bool
) -> None:
    event = unified(event_type, {}, message="Hi", source=source, customer_email="jo@x.fr")
    assert event.customer_verified is verified


def test_zendesk_trigger_and_event() -> None:
    trigger = unified(
        "zendesk.ticket.created",
        {
            "ticket": {
                "id": 35_436,
                "subject": "Retour",
                "latest_comment": "Je veux rendre la lampe, commande n° 7788",
                "requester": {"name": "Ana", "email": "ana@x.fr"},
            }
        },
    )
    assert trigger.ticket_id == "35436"
    assert (trigger.customer_name, trigger.customer_email) == ("Ana", "ana@x.fr")
    assert (trigger.subject, trigger.order_number) == ("Retour", "7788")
    assert trigger.text.startswith("Je veux rendre")
    native: dict[str, JsonValue] = {
        "id": "01HX",
        "type": "zen:event-type:ticket.comment_added",
        "detail": {"id": "99", "subject": "Retour", "description": "d"},
        "event": {"comment": {"body": "Bonjour", "is_public": True, "author": {"is_staff": False}}},
    }
    event = unified("zendesk.ticket.comment_added", native)
    assert (event.ticket_id, event.text, event.reply_allowed) == ("99", "Bonjour", True)
    staff: dict[str, JsonValue] = {"comment": {"body": "Moi", "author": {"is_staff": True}}}
    assert not unified("zendesk.x", {**native, "event": staff}).reply_allowed


def test_gorgias_webhook() -> None:
    payload: dict[str, JsonValue] = {
        "ticket": {"id": 12, "subject": "Taille", "customer": {"email": "g@x.fr", "name": "Gil"}},
        "message": {
            "id": 5,
            "body_text": "La taille M ?\n\nLe 12 mars 2026 à 10:03, X a écrit :\n> oui",
            "body_html": "<p>La taille M ?</p>",
            "from_agent": False,
        },
    }
    event = unified("gorgias.ticket-message-created", payload)
    assert event.channel is Channel.HELPDESK
    assert (event.ticket_id, event.text) == ("12", "La taille M ?")
    assert (event.customer_name, event.customer_email) == ("Gil", "g@x.fr")
    assert event.reply_allowed
    own: dict[str, JsonValue] = {"body_html": "<p>Oui</p>", "from_agent": True}
    answer = unified("gorgias.x", {**payload, "message": own})
    assert (answer.text, answer.reply_allowed) == ("Oui", False)


def test_helpdesk_id_is_the_ticket_only_there() -> None:
    assert unified("helpdesk.ticket", {"id": 7}).ticket_id == "7"
    assert unified("api_direct", {"id": 7}).ticket_id == "evt_1"
    assert unified("api_direct", {"ticket": {"id": 7}}).ticket_id == "7"
    assert unified("api_direct", {"ticket_id": "x" * 500}).ticket_id == "evt_1"


@pytest.mark.parametrize(
    "extra",
    [
        {"headers": {"Auto-Submitted": "auto-replied"}},
        {"headers": {"auto-submitted": "auto-generated; x=1"}},
        {"headers": {"Precedence": "Bulk"}},
        {"headers": [{"name": "Precedence", "value": "list"}]},
        {"headers": [["Precedence", "junk"]]},
        {"headers": "Received: x\r\n by y\r\nX-Auto-Response-Suppress: OOF,\r\n AutoReply\r\n"},
        {"message-headers": '[["List-Id", "<news.x.fr>"]]'},
        {"headers": {"List-Unsubscribe": "<mailto:u@x.fr>"}},
        {"headers": {"List-Post": "NO"}},
        {"headers": {"LIST-HELP": "<mailto:h@x.fr>"}},
        {"headers": {"Auto-Submitted": "auto-notified"}},
        {"headers": {"X-Auto-Response-Suppress": "All"}},
        {"headers": {"X-Autoreply": "yes"}},
        {"headers": "Return-Path: <>\r\nFrom: jo@x.fr\r\n"},
        {"headers": {"Return-Path": "<>"}},
        {"headers": {"Content-Type": "multipart/report; report-type=delivery-status"}},
        {"return_path": ""},
        {"auto_submitted": "auto-replied"},
        {"precedence": "bulk"},
        {"list_id": "x"},
        {"from": "Mail Delivery <MAILER-DAEMON@x.fr>"},
        {"from": "no-reply@x.fr"},
        {"from": "Shop <noreply+123@x.fr>"},
        {"from": "postmaster@x.fr"},
        {"headers": {"From": "ne-pas-repondre@x.fr"}},
        {"subject": "Réponse automatique : absent"},
    ],
)
def test_mail_that_must_not_be_answered(extra: dict[str, JsonValue]) -> None:
    payload: dict[str, JsonValue] = {"from": "jo@x.fr", "text": "x", **extra}
    assert not unified("email.inbound", payload).reply_allowed


@pytest.mark.parametrize(
    "extra",
    [
        {"headers": {"Auto-Submitted": "no", "Precedence": "first-class"}},
        {"headers": {"X-Auto-Response-Suppress": "None"}},
        {"headers": None, "return_path": None},
        {"from": "noreply.martin.family@x.fr", "headers": [1, None, {"name": 3}]},
        {"subject": "Re: Réponse automatique : absent"},
    ],
)
def test_mail_that_may_be_answered(extra: dict[str, JsonValue]) -> None:
    payload: dict[str, JsonValue] = {"from": "jo@x.fr", "text": "x", **extra}
    expected = "noreply" not in str(extra.get("from"))
    assert unified("email.inbound", payload).reply_allowed is expected


def test_header_injection() -> None:
    event = unified(
        "email.inbound",
        {
            "subject": "Bonjour\r\nBcc: all@x.fr",
            "message_id": "<1@x.fr>\r\nBcc: all@x.fr",
            "references": ["<0@x.fr>\n", "<2@x.fr\r\n>"],
            "in_reply_to": "bare@x.fr",
            "from": '"A\r\nBcc: b@x.fr" <jo@x.fr>',
            "text": "x",
        },
    )
    assert event.subject == "Bonjour Bcc: all@x.fr"
    assert event.message_id == "<1@x.fr>"
    assert all("\n" not in part and " " not in part for part in event.references)
    assert "\n" not in (event.customer_name or "")
    encoded = unified("email.inbound", {"subject": "=?utf-8?q?a=0D=0ABcc:_b?="})
    assert encoded.subject == "a Bcc: b"


def test_customer_email_rules() -> None:
    assert unified("api_direct", customer_email="a@b.c\r\nBcc: x@y.z").customer_email is None
    assert unified("api_direct", customer_email="a\x00@b.c").customer_email is None
    assert unified("api_direct", customer_email=" A@b.c ").customer_email == "A@b.c"
    given_wins = unified("email.inbound", {"from": "B <b@x.fr>"}, customer_email="a@x.fr")
    assert (given_wins.customer_email, given_wins.customer_name) == ("a@x.fr", "B")
    assert unified("email.inbound", {"from": "not an address"}).customer_email is None
    assert unified("email.inbound", {"from": "(" * 900 + "a@b.c"}).customer_email is None


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("Ma commande #1234 svp", "1234"),
        ("commande n° 1234.", "1234"),
        ("Commande numéro : FR-10023", "FR-10023"),
        ("order 1234?", "1234"),
        ("Order no. 5544, thanks", "5544"),
        ("#FR1001", "FR1001"),
        ("commande n° XKBKNABJK", "XKBKNABJK"),
        ("commande 06 12 34 56 78", None),
        ("commande 0612345678", None),
        ("call +33612345678", None),
        ("commande du 12 mars 2026", None),
        ("commande 12/03/2026", None),
        ("commande 2026-03-12", None),
        ("my order 2025", None),
        ("I want to order 2000 units", None),
        ("my order is 14 days late", None),
        ("the order is late", None),
        ("https://x.fr/p#12345 &#1234;", None),
    ],
)
def test_order_number_in_text(text: str, number: str | None) -> None:
    assert find_order_number(text) == number
    assert unified("api_direct", message=text).order_number == number


def test_order_number_in_payload_wins() -> None:
    assert unified("api_direct", {"order_id": 77}, message="#1234").order_number == "77"
    assert unified("api_direct", {"order": {"name": "#88"}}, message="#1234").order_number == "88"


def test_fields_are_bounded() -> None:
    payload: dict[str, JsonValue] = {
        "long": "x" * (MAX_FIELD_CHARS + 1),
        "line": "a\r\nb\x00c",
        "empty": "",
        "null": None,
        "off": False,
        "nested": {"a": 1},
        "big": 10**5000,
        "1bad": "x",
        "body": "raw",
        "customer_email": "a\n@b.c",
        **{f"k{number}": number for number in range(1_000)},
    }
    fields = unified("api_direct", payload).fields
    assert fields["line"] == "a bc"
    assert fields["k0"] == "0"
    assert len(fields) <= 204
    assert not {"long", "empty", "null", "off", "nested", "big", "1bad", "body"} & fields.keys()
    assert "customer_email" not in fields


KEYS = st.sampled_from(
    """from to subject html_body text_body text body message headers references in_reply_to
    message_id ticket ticket_id id order order_number order_id customer requester name
    customer_name event detail comment return_path precedence session_id email data""".split()  # noqa: SIM905
) | st.text(max_size=8)
TEXTS = st.text(max_size=30) | st.sampled_from(
    ["A <a@b.c>", "#1234", "=?utf-8?b?DQo=?=", "=?x?q?=FF?=", "<p>\x00</p>", "> x", "[[", "-- "]
)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | TEXTS
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)
TYPES = st.sampled_from(["email.inbound", "widget.x", "shopify.x", "zendesk.x", "api_direct", ""])
EVENTS = st.builds(
    InboundEvent,
    event_type=TYPES | st.text(max_size=10),
    source=st.none() | TYPES,
    customer_email=st.none() | TEXTS,
    message=st.none() | TEXTS,
    payload=st.dictionaries(KEYS, JSON, max_size=8),
)
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


@settings(max_examples=300)
@given(EVENTS)
def test_any_event_is_normalized(event: InboundEvent) -> None:
    first = normalize(event, fallback_ticket_id="f")
    assert first == normalize(event, fallback_ticket_id="f")
    assert first.ticket_id
    assert not CONTROLS.search(first.text)
    lines = [first.subject, first.customer_email, first.customer_name, first.order_number]
    lines += [first.message_id, first.session_id, *first.references, *first.fields.values()]
    for line in lines:
        assert line is None or not re.search(r"[\r\n\t\x00]", line)
    assert all(re.fullmatch(r"[A-Za-z_]\w*", key, re.ASCII) for key in first.fields)
    assert UnifiedEvent.model_validate_json(first.model_dump_json()) == first


@given(EVENTS, st.text(alphabet="abc #123\n,é", max_size=60))
def test_a_plain_message_is_unchanged_by_a_second_pass(event: InboundEvent, message: str) -> None:
    plain = event.model_copy(update={"message": message, "payload": {}})
    once = normalize(plain, fallback_ticket_id="f")
    again = normalize(plain.model_copy(update={"message": once.text}), fallback_ticket_id="f")
    assert again == once


# A payload of hostile sizes: measured below 0.1 s each.
@pytest.mark.parametrize(
    "payload",
    [
        {f"k{number}": "v" * 10 for number in range(50_000)},
        {"headers": [{"name": f"h{number}", "value": "v"} for number in range(30_000)]},
        {"headers": "[" * 100_000},
        {"headers": "a: b\n" * 100_000},
        {"from": "(" * 500_000, "subject": "=?" * 250_000, "references": "<a@b>" * 90_000},
        {"text": "commande n° " * 9_000},
        {"ticket": {f"k{number}": 1 for number in range(50_000)}},
    ],
)
def test_hostile_payload_ends(payload: dict[str, JsonValue]) -> None:
    assert unified("email.inbound", payload).ticket_id == "evt_1"
