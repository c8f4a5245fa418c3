"""Five input formats, one result format."""

import pytest
from pydantic import JsonValue

from domain.intake.event import Channel, UnifiedEvent, channel_of
from tests.support.intake.normalized import unified
from tests.support.intake.proof import proved


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
        ticket_by_platform=False,
        customer_email="Jean@Example.com",
        proved=proved("jean@example.com"),
        is_vouched=True,
        customer_name="Jean Dupont",
        subject="Colis",
        text="Où est mon colis ?\n> cité",
        order_number="1001",
        order_numbers=("1001",),
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
        ("zendesk.ticket.created", None, False),
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
