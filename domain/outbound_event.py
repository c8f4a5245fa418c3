"""What the service tells a merchant's systems. Source: the API specification, "Outbound webhooks".

The data of `ticket.resolved` is the specification's; that of the others is ours. A dry run tells
nothing. `ticket_id` is the caller's, else the event's; `customer_email` is empty if there is none.
"""

from typing import ClassVar, Final, Literal

from pydantic import BaseModel, ConfigDict

from domain.escalation import EscalationReason

OutboundEventId = Literal[
    "ticket.resolved",
    "ticket.escalated",
    "ticket.response_failed",
    "conversation.created",
    "conversation.sentiment_negative",
    "usage.threshold_reached",
    "integration.connected",
    "integration.disconnected",
    "playbook.activated",
]


PREVIEW_CHARS: Final = 200


class OutboundEvent(BaseModel):
    """The data of one event; its class says which it is."""

    model_config = ConfigDict(frozen=True)

    event: ClassVar[OutboundEventId]


class TicketResolved(OutboundEvent):
    """The customer has an answer, the agent's or a human's. Once a ticket.

    A ticket that is closed without one (an auto-reply, which nobody must answer) tells nothing.
    `duration_ms`: from the event's arrival to the answer, with the time a human took.
    """

    event = "ticket.resolved"

    ticket_id: str
    customer_email: str
    classification: str
    confidence: float
    ai_response: str
    duration_ms: int


class TicketEscalated(OutboundEvent):
    """A human must decide. Once for each time: an approved action of unknown outcome asks again."""

    event = "ticket.escalated"

    ticket_id: str
    customer_email: str
    classification: str
    confidence: float
    reason: EscalationReason
    review_id: str


class TicketResponseFailed(OutboundEvent):
    """No answer came about, or it could not be brought to the customer. `message` is a fixed text,
    for people; programs go by `error_code`."""

    event = "ticket.response_failed"

    ticket_id: str
    customer_email: str
    error_code: str
    message: str


class ConversationCreated(OutboundEvent):
    """A customer writes for the first time, or a session begins; later messages of the same
    conversation are not told. `source` is the caller's, else the event type."""

    event = "conversation.created"

    conversation_id: str
    ticket_id: str
    source: str
    customer_email: str
    subject: str
    preview: str


class SentimentNegative(OutboundEvent):
    event = "conversation.sentiment_negative"

    conversation_id: str
    customer_email: str
    score: float
    previous_score: float | None
    threshold: float


class IntegrationConnected(OutboundEvent):
    event = "integration.connected"

    integration_id: str
    provider: str


class IntegrationDisconnected(OutboundEvent):
    event = "integration.disconnected"

    integration_id: str
    provider: str
    reason: str


class PlaybookActivated(OutboundEvent):
    event = "playbook.activated"

    playbook_id: str
    name: str
    version: int
    event_type: str
    actor: str
