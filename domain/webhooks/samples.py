"""One example for each outbound event, for the event catalogue and for test deliveries."""

from collections.abc import Mapping
from typing import Final

from domain.agent.escalation_reason import EscalationReason
from domain.agent.model_fault import ModelFault
from domain.integrations.providers import Provider
from domain.runs.sentiment import CRITICAL_AT
from domain.webhooks.outbound_event import (
    ConversationCreated,
    IntegrationConnected,
    IntegrationDisconnected,
    OutboundEvent,
    OutboundEventId,
    PlaybookActivated,
    SentimentNegative,
    TicketEscalated,
    TicketResolved,
    TicketResponseFailed,
    UsageThresholdReached,
)

_TICKET: Final = "TICKET-1042"
_CUSTOMER: Final = "claire.martin@example.com"
_CONVERSATION: Final = "01KAK8Z3V6Q2M9T4B7C1D5E8F0"
_INTEGRATION: Final = "01KAK8Z7H2W5X9Y3Z6A0B4C8D2"

_SAMPLES: Final[tuple[OutboundEvent, ...]] = (
    TicketResolved(
        ticket_id=_TICKET,
        customer_email=_CUSTOMER,
        classification="order_status",
        confidence=0.93,
        ai_response="Bonjour Claire,\n\nVotre commande n° 1042 est partie hier. Elle arrive "
        "d'ici deux jours.\n\nBonne journée !",
        duration_ms=1840,
    ),
    TicketEscalated(
        ticket_id=_TICKET,
        customer_email=_CUSTOMER,
        classification="refund_request",
        confidence=0.58,
        reason=EscalationReason.LOW_CONFIDENCE,
        review_id="01KAK8Z5P3R7S1T9V4W6X0Y2Z8",
    ),
    TicketResponseFailed(
        ticket_id=_TICKET,
        customer_email=_CUSTOMER,
        error_code="brain_unavailable",
        message="The agent could not answer this ticket.",
        model_fault=ModelFault.OUTAGE,
    ),
    ConversationCreated(
        conversation_id=_CONVERSATION,
        ticket_id=_TICKET,
        source="email",
        customer_email=_CUSTOMER,
        subject="Où est ma commande ?",
        preview="Bonjour, je n'ai pas encore reçu ma commande n° 1042.",
    ),
    SentimentNegative(
        conversation_id=_CONVERSATION,
        customer_email=_CUSTOMER,
        score=-0.82,
        previous_score=-0.2,
        threshold=CRITICAL_AT,
    ),
    UsageThresholdReached(
        period="2026-11", threshold=80, tickets_used=4000, tickets_limit=5000, credits_balance=250
    ),
    IntegrationConnected(
        integration_id=_INTEGRATION, provider=Provider.SHOPIFY, reason="connected"
    ),
    IntegrationDisconnected(
        integration_id=_INTEGRATION, provider=Provider.SHOPIFY, reason="not_authorized"
    ),
    PlaybookActivated(
        playbook_id="01KAK8Z9J4K8M2N6P0Q3R7S1T5",
        name="Suivi de commande",
        version=3,
        event_type="email.*",
        actor="alice@example.com",
    ),
)

_BY_EVENT: Final[Mapping[OutboundEventId, OutboundEvent]] = {one.event: one for one in _SAMPLES}


TESTED_BY_DEFAULT: Final[OutboundEventId] = "ticket.resolved"
"""The event that a test delivery sends by default, as defined in the specification."""


def sample(event: OutboundEventId) -> OutboundEvent:
    """Return example data for an event."""
    return _BY_EVENT[event]
