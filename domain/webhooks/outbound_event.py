"""Outbound events: the notifications that the service sends to a merchant's systems.

Source: the API specification, "Outbound webhooks". The data of `ticket.resolved` follows the
specification. The data of all other events is this project's own design. A dry run sends no events.
The descriptions of classes and fields are published with their schemas.
"""

from bisect import bisect_right
from hashlib import sha256
from typing import Annotated, ClassVar, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field
from pydantic_core import to_json

from domain.agent.escalation_reason import EscalationReason
from domain.agent.model_fault import ModelFault
from domain.billing.quota import Threshold

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
MAX_RESPONSE_BYTES: Final = 90_000
"""Maximum size of an answer within a webhook body, in bytes. Even if all other fields have their
maximum size, the body is smaller than 100 KB, the size that receivers are asked to accept."""

_TicketId = Annotated[
    str, Field(description="Ticket id given by the caller; otherwise the event's id.")
]
_Email = Annotated[str, Field(description="Customer's email address; empty if there is none.")]
_Classification = Annotated[
    str, Field(description="Category of the message, such as `order_status`.")
]
_Confidence = Annotated[float, Field(ge=0, le=1, description="Confidence of the agent, 0 to 1.")]
_Score = Annotated[float, Field(ge=-1, le=1, description="Sentiment of the message, -1 to 1.")]
_ModelFault = Annotated[
    ModelFault | None,
    Field(
        description=(
            "Reason why the language model produced no answer; null if this is not the cause of "
            "the event."
        )
    ),
]
_IntegrationId = Annotated[str, Field(description="ULID of the integration.")]
_Provider = Annotated[str, Field(description="Provider of the integration, such as `shopify`.")]


class OutboundEvent(BaseModel):
    """The data of one outbound event. Each kind of event has its own subclass."""

    model_config = ConfigDict(frozen=True, json_schema_serialization_defaults_required=True)

    event: ClassVar[OutboundEventId]


class TicketEvent(OutboundEvent):
    """The data of an event about one ticket."""

    ticket_id: _TicketId

    @property
    def ticket_key(self) -> str:
        """A digest of the ticket's id, of fixed length."""
        return sha256(self.ticket_id.encode()).hexdigest()


class TicketResolved(TicketEvent):
    """The customer has received an answer, from the agent or from a person. The event is sent for
    each resolution because a new message from the customer reopens the ticket. It is not sent for a
    ticket that is closed without an answer, such as an auto-reply. Deduplicate by the `webhook-id`
    header, or by `event`, `ticket_id` and `resolution`."""

    event = "ticket.resolved"

    customer_email: _Email
    classification: _Classification
    confidence: _Confidence
    ai_response: Annotated[str, Field(description="Answer sent to the customer.")]
    duration_ms: Annotated[
        int,
        Field(
            ge=0,
            description=(
                "Time from receiving the event to answering the customer, in milliseconds. It "
                "includes the time of a human review."
            ),
        ),
    ]
    ai_response_truncated: Annotated[
        bool,
        Field(
            description=f"Whether `ai_response` is truncated, because the answer takes more than "
            f"{MAX_RESPONSE_BYTES} bytes. The dashboard shows the complete answer."
        ),
    ] = False
    resolution: Annotated[
        int,
        Field(
            ge=1,
            description=(
                "Sequence number of this resolution of the ticket, starting at 1. The number "
                "increases if the customer writes again and gets another answer."
            ),
        ),
    ] = 1

    def numbered(self, number: int) -> Self:
        """Return a copy of the data with the resolution number `number`."""
        return self.model_copy(update={"resolution": number})


class TicketEscalated(TicketEvent):
    """A person must decide about the ticket. The event is sent for each escalation. For example, an
    approved action with an unknown outcome escalates the ticket again."""

    event = "ticket.escalated"

    customer_email: _Email
    classification: _Classification
    confidence: _Confidence
    reason: Annotated[
        EscalationReason, Field(description="Reason for the escalation: why a person must decide.")
    ]
    review_id: Annotated[str, Field(description="ULID of the review that waits for a decision.")]
    model_fault: _ModelFault = None


class TicketResponseFailed(TicketEvent):
    """The agent produced no answer, or the answer could not be delivered to the customer. If the
    language model is unavailable, `ticket.escalated` is also sent, and a person answers the
    ticket."""

    event = "ticket.response_failed"

    customer_email: _Email
    error_code: Annotated[str, Field(description="Machine-readable reason for the failure.")]
    message: Annotated[
        str,
        Field(
            description=(
                "Description of the failure for people. The text is the same for all failures."
            )
        ),
    ]
    model_fault: _ModelFault = None


class ConversationCreated(TicketEvent):
    """A conversation has started, with a new ticket, email thread or session, or with the first
    message from an address after a period without messages. The event is sent before the agent
    processes the message. It is not sent for later messages in the conversation."""

    event = "conversation.created"

    conversation_id: Annotated[str, Field(description="ULID of the conversation.")]
    source: Annotated[
        str, Field(description="Source given by the caller; otherwise the event type.")
    ]
    customer_email: _Email
    subject: Annotated[str, Field(description="Subject of the message; empty if there is none.")]
    preview: Annotated[
        str,
        Field(
            max_length=PREVIEW_CHARS,
            description=f"First {PREVIEW_CHARS} characters of the message.",
        ),
    ]


class SentimentNegative(OutboundEvent):
    """The sentiment of a conversation has entered the critical range. The event is sent again only
    after the sentiment has left the range."""

    event = "conversation.sentiment_negative"

    conversation_id: Annotated[str, Field(description="ULID of the conversation.")]
    customer_email: _Email
    score: _Score
    previous_score: Annotated[
        float | None,
        Field(
            ge=-1,
            le=1,
            description=(
                "Sentiment of the previous message, -1 to 1; null if this is the first message."
            ),
        ),
    ]
    threshold: Annotated[
        float, Field(description="Score at or below which the sentiment is critical.")
    ]


class UsageThresholdReached(OutboundEvent):
    """The client has used 80 or 100 percent of the month's tickets. The event is sent once a month
    for each threshold. A plan change can also trigger it. A plan without a ticket limit has no
    thresholds."""

    event = "usage.threshold_reached"

    period: Annotated[
        str, Field(pattern=r"^\d{4}-\d{2}$", description="Calendar month in UTC, as YYYY-MM.")
    ]
    threshold: Annotated[
        Threshold,
        Field(description=("Threshold that was reached, as a percentage of the month's tickets.")),
    ]
    tickets_used: Annotated[int, Field(ge=0, description="Tickets counted in the month.")]
    tickets_limit: Annotated[int, Field(ge=0, description="Monthly ticket limit of the plan.")]
    credits_balance: Annotated[
        int,
        Field(
            ge=0,
            description=(
                "Number of credits left. Each credit pays for one ticket beyond the limit."
            ),
        ),
    ]


class IntegrationConnected(OutboundEvent):
    """An integration was activated."""

    event = "integration.connected"

    integration_id: _IntegrationId
    provider: _Provider
    reason: Annotated[
        Literal["connected", "reconnected"],
        Field(
            description=(
                "`connected`: the client had no integration with this provider; `reconnected`: "
                "the integration replaces another one with this provider."
            )
        ),
    ]


class IntegrationDisconnected(OutboundEvent):
    """An integration was disconnected, or the provider no longer accepts its credentials."""

    event = "integration.disconnected"

    integration_id: _IntegrationId
    provider: _Provider
    reason: Annotated[
        str,
        Field(
            description=(
                "`disconnected`: a person disconnected the integration; `replaced`: the same "
                "provider was connected again; otherwise the code of the error that ended the "
                "integration."
            )
        ),
    ]


class PlaybookActivated(OutboundEvent):
    """A playbook was activated."""

    event = "playbook.activated"

    playbook_id: Annotated[str, Field(description="ULID of the playbook.")]
    name: Annotated[str, Field(description="Name of the playbook.")]
    version: Annotated[int, Field(ge=1, description="Version that was activated.")]
    event_type: Annotated[
        str,
        Field(
            description="Event types that the playbook handles: a type, a prefix with `*`, or `*`."
        ),
    ]
    actor: Annotated[str, Field(description="Actor who activated the playbook.")]


def fitting(response: str) -> str:
    """Return the answer, truncated so that it takes at most MAX_RESPONSE_BYTES in a JSON body."""
    if _bytes_in_a_body(response) <= MAX_RESPONSE_BYTES:
        return response
    lengths = range(1, len(response) + 1)
    kept = bisect_right(
        lengths, MAX_RESPONSE_BYTES, key=lambda length: _bytes_in_a_body(response[:length])
    )
    return response[:kept]


def _bytes_in_a_body(text: str) -> int:
    return len(to_json(text)) - len('""')
