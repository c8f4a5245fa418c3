"""The tour's sample tickets, and what each must come to."""

from dataclasses import dataclass
from typing import Final

from pydantic import JsonValue


@dataclass(frozen=True, slots=True)
class SampleTicket:
    """`status` and, where there is a run, `classification` are what the answer must say."""

    title: str
    body: dict[str, JsonValue]
    status: str
    classification: str | None = None
    sends_mail: bool = False


TICKETS: Final = (
    SampleTicket(
        "Shop ticket, in French",
        {
            "event_type": "shopify.ticket.created",
            "source": "shopify",
            "customer_email": "camille.durand@example.com",
            "customer_name": "Camille Durand",
            "order_number": "1042",
            "tracking_url": "https://suivi.example/1042",
            "subject": "Ma commande",
            "message": "Bonjour, où en est ma commande n° 1042 ? Est-elle bien partie ?",
        },
        status="completed",
        classification="order_status",
    ),
    SampleTicket(
        "E-mail, in English, answered by mail",
        {
            "event_type": "email.inbound",
            "source": "email",
            "from": "Emma Clark <emma.clark@example.com>",
            "to": "support@maison-lavande.example",
            "subject": "Washing the linen blanket",
            "html_body": "<p>Hi,</p><p>Can the washed <b>linen blanket</b> be machine washed?</p>"
            "<p>Emma</p><blockquote type='cite'>On Monday Maison Lavande wrote: your order has "
            "shipped</blockquote>",
        },
        status="completed",
        classification="product_question",
        sends_mail=True,
    ),
    SampleTicket(
        "Widget message the agent is not sure of",
        {
            "event_type": "widget.chat.message",
            "source": "widget",
            "session_id": "tour-session",
            "message": "Bonjour, est-ce que vous pourriez me rappeler pour en discuter ?",
        },
        status="needs_review",
    ),
    SampleTicket(
        "Helpdesk webhook, no playbook for it",
        {
            "event_type": "zendesk.ticket.created",
            "source": "zendesk",
            "ticket": {"id": 77, "subject": "Invoice", "description": "Please send my invoice"},
        },
        status="no_playbook",
    ),
    SampleTicket(
        "Dry run: nothing is kept, nothing is sent",
        {
            "event_type": "shopify.ticket.created",
            "source": "shopify",
            "is_test": True,
            "customer_name": "Alex",
            "order_number": "2001",
            "message": "I would like to return my order 2001 and get my money back please",
        },
        status="completed",
        classification="refund_request",
    ),
)
