"""What is read from a customer's email, and emails without an answer."""

import pytest
from pydantic import JsonValue

from domain.intake.event import Channel, InboundEvent
from domain.intake.event_sender import claimed_customer
from tests.support.intake.normalized import unified


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
    ("event", "customer"),
    [
        ({"from": "Ann <Ann@X.example>"}, "ann@x.example"),
        ({"headers": [["From", "Ann <ann@x.example>"]]}, "ann@x.example"),
        ({"from": "a@x.example", "reply_to": "b@x.example"}, "b@x.example"),
        ({"from": "mailer@shopify.com", "reply_to": "b@x.example"}, "b@x.example"),
        ({"from": "mailer@shopify.com", "text": "Email: b@x.example"}, None),
        ({"from": "help@shop.example", "to": "Help <help@shop.example>"}, None),
        ({"from": "(" * 100_000}, None),
        ({"email": "b@x.example"}, None),
        ({}, None),
    ],
)
def test_whom_a_mail_counts_for(event: dict[str, JsonValue], customer: str | None) -> None:
    mail = InboundEvent(event_type="email.received", payload=event)
    assert claimed_customer(mail) == customer
    named = mail.model_copy(update={"customer_email": " Eve@X.example"})
    assert claimed_customer(named) == "eve@x.example"
    assert claimed_customer(mail.model_copy(update={"event_type": "api_direct"})) is None
