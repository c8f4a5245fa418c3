"""The author of an email's text: the sender, or a person named by a form or program."""

import pytest
from pydantic import JsonValue

from domain.intake.mail_sender import is_robot
from tests.support.intake.normalized import unified

JEAN = "jean@free.example"
FORM = f"Nom : Jean Martin\nE-mail : {JEAN}\nMessage : Où est ma commande 1042 ?"


@pytest.mark.parametrize(
    "address",
    [
        "noreply@x.fr", "no-reply@x.fr", "No_Reply+12@x.fr", "shop.noreply@x.fr", "donotreply@x.fr",
        "ne-pas-repondre@x.fr", "forms-receipts-noreply@google.com", "mailer@shopify.com",
        "anybody@e.shopify.com", "wordpress@boutique.fr", "MAILER-DAEMON@x.fr", "bounces+7=a@x.fr",
        "notifications@x.fr", "form-submission@squarespace.info", "noreply@jotform.com",
        "notifications@forms.typeform.com", "postmaster@x.fr", "www-data@x.fr", "mailer2@x.fr",
    ],
)  # fmt: skip
def test_a_program(address: str) -> None:
    assert is_robot(address)


@pytest.mark.parametrize(
    "address",
    [
        "jean@x.fr", "contact@boutique.fr", "info@x.fr", "reply@x.fr", "norbert@x.fr",
        "formosa@x.fr", "rootbeer@x.fr", "jean@notshopify.com", "noreplyer@x.fr", "jean.form@x.fr",
    ],
)  # fmt: skip
def test_a_person(address: str) -> None:
    assert not is_robot(address)


@pytest.mark.parametrize(
    ("payload", "customer"),
    [
        ({"from": "ana@x.example", "reply_to": f"Jean <{JEAN}>"}, JEAN),
        ({"from": "ana@x.example", "ReplyTo": JEAN}, JEAN),
        ({"from": "ana@x.example", "reply_to": [{"email": JEAN, "name": "Jean"}]}, JEAN),
        ({"from": "ana@x.example", "headers": {"Reply-To": f"<{JEAN}>"}}, JEAN),
        ({"from": "ana@x.example", "headers": f"reply-to: Jean\r\n <{JEAN}>\r\n"}, JEAN),
        ({"from": "ana@x.example", "reply_to": "ANA@x.example"}, "ana@x.example"),
        ({"from": "ana@x.example", "reply_to": "noreply@x.example"}, "ana@x.example"),
        ({"from": "ana@x.example", "reply_to": "nonsense"}, "ana@x.example"),
        ({"from": "ana@x.example", "reply_to": f"noreply@x.example, {JEAN}"}, JEAN),
        (
            {"from": "ana@x.example", "to": "Sav <sav@b.example>", "reply_to": "sav@b.example"},
            "ana@x.example",
        ),
        ({"from": "Boutique <mailer@shopify.com>", "reply_to": JEAN}, JEAN),
        ({"from": "wordpress@b.example", "headers": {"Reply-To": JEAN}}, JEAN),
        ({"from": "no-reply@b.example", "text": FORM}, JEAN),
        ({"from": "sav@b.example", "to": "sav@b.example", "text": FORM}, JEAN),
        ({"from": "noreply@jotform.com"}, None),
        ({"from": "noreply@jotform.com", "text": "E-mail : noreply@jotform.com"}, None),
        ({"from": "noreply@b.example", "reply_to": "support@b.example"}, None),
    ],
)  # fmt: skip
def test_the_customer_of_a_mail(payload: dict[str, JsonValue], customer: str | None) -> None:
    event = unified("email.inbound", {"text": "Où est mon colis ?", **payload})
    assert event.customer_email == customer
    assert event.fields.get("customer_email") == customer
    assert event.reply_allowed is (customer is not None)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (FORM, "Jean Martin"),
        # Shopify
        (f"You received a new message.\n\nCountry Code:\nFR\n\nName:\nJean\n\nEmail:\n{JEAN}\n\n"
         "Body:\nWhere is it?", "Jean"),
        # Wix
        (f"New submission\n\nFirst name: Jean\nLast name: M\nEmail: {JEAN}\nMessage: Hi", "Jean"),
        # WordPress, Contact Form 7
        (f"De : Jean Martin <{JEAN}>\nObjet : Colis\n\nCorps du message :\nOù est-il ?",
         "Jean Martin"),
        (f"From: Jean Martin <{JEAN}>\nSubject: Parcel\n\nMessage Body:\nHi", "Jean Martin"),
        # PrestaShop
        (f"Message d'un client\n\nAdresse e-mail : {JEAN}\nMessage : Bonjour", None),
        # Jotform, a table
        (f"Full Name | Jean Martin\nE-mail | {JEAN}\nMessage | Hi", "Jean Martin"),
        # Typeform, Google Forms
        (f"Prénom et nom\nJean Martin\n\nAdresse e-mail\n{JEAN}\n\nVotre question\nOù ?",
         "Jean Martin"),
        (f"*Name:* Jean\n*Email:* <mailto:{JEAN}>\n", "Jean"),
        (f"• Nom : Jean\n• Courriel (obligatoire) : {JEAN}", "Jean"),
        (f"Name:\u00a0Jean\nE-Mail-Adresse: {JEAN}\nNachricht: Hallo", "Jean"),
    ],
)  # fmt: skip
def test_forms(text: str, name: str | None) -> None:
    event = unified("email.inbound", {"from": "noreply@form.example", "text": text})
    assert (event.customer_email, event.customer_name) == (JEAN, name)
    assert event.reply_allowed
    assert not event.sender_authenticated


def test_a_form_in_html() -> None:
    body = f"<table><tr><td>Nom</td></tr><tr><td>Jean</td></tr></table><p><b>Email:</b> {JEAN}</p>"
    event = unified("email.inbound", {"from": "mailer@shopify.com", "html": body})
    assert event.customer_email == JEAN


def test_a_person_may_name_somebody_else() -> None:
    event = unified("email.inbound", {"from": "ana@x.example", "text": FORM})
    assert event.customer_email == "ana@x.example"


@pytest.mark.parametrize(
    ("payload", "given", "customer", "authenticated"),
    [
        ({"from": "noreply@jotform.com", "text": FORM}, "noreply@jotform.com", JEAN, False),
        ({"from": "noreply@jotform.com", "text": FORM}, "ana@x.example", "ana@x.example", False),
        ({"from": "eve@x.example", "reply_to": JEAN}, "eve@x.example", JEAN, False),
        # The caller vouches only for the address that it names.
        ({"from": "eve@x.example", "reply_to": JEAN, "customer_verified": True},
         "eve@x.example", "eve@x.example", True),
        ({"from": "eve@x.example", "reply_to": JEAN, "customer_verified": True}, None, JEAN, False),
        ({"from": "noreply@jotform.com", "text": FORM, "customer_verified": True},
         "noreply@jotform.com", JEAN, False),
        ({"text": "x", "reply_to": JEAN}, "ana@x.example", JEAN, False),
    ],
)  # fmt: skip
def test_the_address_that_the_caller_names(
    payload: dict[str, JsonValue], given: str | None, customer: str, authenticated: bool
) -> None:
    event = unified("email.inbound", payload, customer_email=given)
    assert (event.customer_email, event.sender_authenticated) == (customer, authenticated)


def test_a_pass_of_the_platform_proves_nothing_about_whom_it_names() -> None:
    headers: dict[str, JsonValue] = {
        "Authentication-Results": "mx.b.example; dmarc=pass header.from=jotform.com"
    }
    named: tuple[dict[str, JsonValue], ...] = ({"reply_to": JEAN}, {"text": FORM})
    for more in named:
        mail: dict[str, JsonValue] = {"from": "noreply@jotform.com", "headers": headers, **more}
        event = unified("email.inbound", mail, authserv_ids=("mx.b.example",))
        assert (event.customer_email, event.sender_authenticated) == (JEAN, False)


def test_a_form_that_a_helpdesk_took_for_its_sender() -> None:
    ticket: dict[str, JsonValue] = {
        "ticket": {"id": 7, "description": FORM, "requester": {"email": "wordpress@b.example"}}
    }
    event = unified("zendesk.ticket.created", ticket)
    assert (event.customer_email, event.reply_allowed) == (JEAN, True)
    # The answer is posted in the ticket, and so reaches the form's author.
    assert (event.customer_verified, event.sender_authenticated) == (False, False)


def test_a_form_made_by_a_program_is_answered_and_an_answer_is_not() -> None:
    mail: dict[str, JsonValue] = {"from": "noreply@jotform.com", "text": FORM}
    cases: tuple[tuple[JsonValue, bool], ...] = (
        ({"Auto-Submitted": "auto-generated", "List-Unsubscribe": "<mailto:u@x>"}, True),
        ({"Auto-Submitted": "auto-replied"}, False),
        ({"List-Id": "<x>"}, False),
        ({"Return-Path": "<>"}, False),
    )
    for headers, allowed in cases:
        assert unified("email.inbound", {**mail, "headers": headers}).reply_allowed is allowed


@pytest.mark.parametrize(
    "text",
    ["E-mail :\n" * 20_000, " " * 100_000 + "x", "*" * 100_000, "(" * 100_000, "a:" * 50_000],
)
def test_hostile_forms_end(text: str) -> None:
    unified("email.inbound", {"from": "noreply@x.example", "text": text})
