"""What the service tells a merchant's systems. Source: the API specification, "Outbound webhooks".

The data of `ticket.resolved` is the specification's; that of the others is ours.
"""

from typing import ClassVar, Literal

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


class OutboundEvent(BaseModel):
    """The data of one event; its class says which it is."""

    model_config = ConfigDict(frozen=True)

    event: ClassVar[OutboundEventId]


class TicketResolved(OutboundEvent):
    event = "ticket.resolved"

    ticket_id: str
    customer_email: str
    classification: str
    confidence: float
    ai_response: str
    duration_ms: int


class TicketEscalated(OutboundEvent):
    event = "ticket.escalated"

    ticket_id: str
    customer_email: str
    classification: str
    confidence: float
    reason: EscalationReason
    review_id: str


class TicketResponseFailed(OutboundEvent):
    event = "ticket.response_failed"

    ticket_id: str
    customer_email: str
    error_code: str
    message: str


class ConversationCreated(OutboundEvent):
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
