"""The events in the demo shop's history, as sent by each channel's platform."""

from collections.abc import Callable, Mapping
from typing import Final

from demo.content import SENDER
from demo.history.plan import SampleCustomer, SampleMessage, SampleTalk
from demo.history.topics import SampleOutcome
from domain.agent.plan import ActionKind, PlannedAction, Warrant
from domain.core.money import Money
from domain.exports.run_record import EventRecord
from domain.intake.event import Channel, InboundEvent, UnifiedEvent
from domain.intake.normalization import normalize

_FIRST_TICKET: Final = 7_000
_REPLIES: Final = {
    Channel.SHOP: ActionKind.REPLY,
    Channel.WIDGET: ActionKind.REPLY,
    Channel.EMAIL: ActionKind.REPLY_BY_EMAIL,
    Channel.HELPDESK: ActionKind.REPLY_IN_HELPDESK,
}


def inbound_of(
    talk: SampleTalk, exchange: SampleMessage, event_id: str, number: int
) -> tuple[EventRecord, UnifiedEvent]:
    """Return the event as received, and in its normalized form. `number` is the conversation's
    number in the plan."""
    sent = _SENT[talk.channel](talk, exchange, event_id, number)
    unified = normalize(sent, fallback_ticket_id=event_id)
    record = EventRecord(
        source=sent.source,
        event_type=sent.event_type,
        customer_email=sent.customer_email,
        message=sent.message,
        subject=unified.subject,
        text=unified.text,
        payload=sent.payload,
        author=None,
        merchant_request=None,
        # The subject and the text are stored once, in their own columns.
        unified=unified.model_copy(update={"subject": None, "text": ""}),
        received_at=exchange.at,
    )
    return record, unified


def planned_actions(
    talk: SampleTalk, exchange: SampleMessage, event: UnifiedEvent, integration_id: str
) -> tuple[PlannedAction, ...]:
    """Return the agent's plan for the message: the refund, if any, and the reply."""
    if exchange.outcome is SampleOutcome.CLOSED:
        return ()
    kind, order = _REPLIES[talk.channel], exchange.order
    ticket = event.ticket_id if kind is ActionKind.REPLY_IN_HELPDESK else None
    reply = PlannedAction(kind=kind, ticket_id=ticket)
    if not exchange.outcome.refunds or order is None:
        return (reply,)
    refund = PlannedAction(
        kind=ActionKind.REFUND,
        integration_id=integration_id,
        order_id=order.number,
        order_number=order.number,
        amount=Money(minor=order.minor, currency="EUR"),
        warrant=Warrant.REQUEST,
    )
    return (refund, reply)


def _shop(talk: SampleTalk, exchange: SampleMessage, _: str, __: int) -> InboundEvent:
    return InboundEvent(
        event_type="shopify.ticket.created",
        source="shopify",
        customer_email=_customer(talk).email,
        message=exchange.text,
        payload={"customer_name": _customer(talk).name, "subject": talk.subject},
    )


def _email(talk: SampleTalk, exchange: SampleMessage, event_id: str, _: int) -> InboundEvent:
    customer = _customer(talk)
    host = customer.email.rpartition("@")[2]
    return InboundEvent(
        event_type="email.inbound",
        source="email",
        payload={
            "from": f"{customer.name} <{customer.email}>",
            "to": SENDER,
            "subject": talk.subject,
            "text_body": f"{exchange.text}\n\n{customer.first}",
            "message_id": f"<{event_id.lower()}@mail.{host}>",
            "customer_verified": True,
        },
    )


def _widget(talk: SampleTalk, exchange: SampleMessage, _: str, number: int) -> InboundEvent:
    customer = talk.customer
    known: Mapping[str, str | bool] = {}
    if customer is not None:
        known = {"customer_name": customer.name, "customer_verified": True}
    return InboundEvent(
        event_type="widget.chat.message",
        source="widget",
        customer_email=customer.email if customer else None,
        message=exchange.text,
        payload={"session_id": f"history-{number}", **known},
    )


def _helpdesk(talk: SampleTalk, exchange: SampleMessage, _: str, number: int) -> InboundEvent:
    return InboundEvent(
        event_type="zendesk.ticket.created",
        source="zendesk",
        customer_email=_customer(talk).email,
        message=exchange.text,
        payload={
            "ticket_id": str(_FIRST_TICKET + number),
            "customer_name": _customer(talk).name,
            "subject": talk.subject,
            "customer_verified": True,
        },
    )


def _customer(talk: SampleTalk) -> SampleCustomer:
    if talk.customer is None:
        raise LookupError("only a visitor of the widget has no address")
    return talk.customer


_Sent = Callable[[SampleTalk, SampleMessage, str, int], InboundEvent]
_SENT: Final[Mapping[Channel, _Sent]] = {
    Channel.SHOP: _shop,
    Channel.EMAIL: _email,
    Channel.WIDGET: _widget,
    Channel.HELPDESK: _helpdesk,
}
