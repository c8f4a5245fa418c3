"""The records of conversations: their messages, sentiments and reviews."""

from typing import Annotated, Literal

from pydantic import Field

from domain.agent.escalation_reason import EscalationReason
from domain.agent.plan import PlannedAction
from domain.agent.safety.sensitive import SensitiveMatter
from domain.agent.thread import Thread
from domain.exports.record import BigCount, Count, Id, Record, Score, Time
from domain.intake.event import Channel
from domain.reviews.escalation import Decision, EscalationStatus


class MessageRecord(Record):
    """One message of a conversation. Written by the engine when it is received or sent."""

    id: Annotated[Id, Field(description="ULID of the message.")]
    event_id: Annotated[Id, Field(description="ULID of the event that it is, or that it answers.")]
    direction: Annotated[
        Literal["inbound", "outbound"], Field(description="`inbound`: from the customer.")
    ]
    channel: Annotated[Channel | None, Field(description="Where it was written.")]
    author: Annotated[
        Literal["customer", "agent", "human"],
        Field(description="Who wrote it; `human` is one of the merchant's."),
    ]
    customer_key: Annotated[
        str | None, Field(description="The customer's address as limits count it.")
    ]
    body: Annotated[str, Field(description="Its text, without quoted replies and signature.")]
    created_at: Annotated[Time, Field(description="When it was stored.")]


class ConversationRecord(Record):
    """One exchange with a customer: a ticket, a mail with its answers, a session, or else the
    messages from one address. It ends after a time without a message. Written by the engine."""

    id: Annotated[Id, Field(description="ULID of the conversation.")]
    key: Annotated[
        str,
        Field(
            description="What holds it together: `ticket:…`, `mail:…`, `session:…`, `email:…` or "
            "`event:…`; once it has ended, with a slash and its id."
        ),
    ]
    memory_key: Annotated[
        str | None,
        Field(
            default=None,
            description="The customer memory that it shares; null without a proved address.",
        ),
    ]
    channel: Annotated[Channel, Field(description="Where it began.")]
    customer_email: Annotated[str | None, Field(description="The customer's mail address.")]
    summary: Annotated[
        str,
        Field(
            description="Outcomes of the customer's runs, or of its own without a proved "
            "customer: a line each, as the agent remembers it."
        ),
    ]
    thread: Annotated[
        Thread, Field(default=Thread(), description="What was settled in it: the order spoken of.")
    ]
    sentiment: Annotated[
        Score | None, Field(description="Tone of the latest message, -1 (anger) to 1 (joy).")
    ]
    is_critical: Annotated[bool, Field(description="Whether that tone lies in the critical zone.")]
    handed_over_at: Annotated[
        Time | None, Field(default=None, description="Since when people answer in it.")
    ]
    taken_by: Annotated[
        str | None,
        Field(default=None, description="Who took it over at the dashboard, and has it still."),
    ]
    taken_at: Annotated[Time | None, Field(default=None, description="Since when they have it.")]
    ended_at: Annotated[
        Time | None, Field(default=None, description="When another began in its place.")
    ]
    created_at: Annotated[Time, Field(description="When its first message came.")]
    last_message_at: Annotated[Time, Field(description="When its latest message came or went.")]
    messages: Annotated[tuple[MessageRecord, ...], Field(description="All messages, oldest first.")]


class EscalationRecord(Record):
    """A run that waits, or waited, for a human. Written by the engine, and by the deciding
    person."""

    id: Annotated[Id, Field(description="ULID of the review.")]
    run_id: Annotated[Id, Field(description="ULID of the run.")]
    round: Annotated[Count, Field(description="0 for the first question about the run.")]
    status: Annotated[EscalationStatus, Field(description="How it stands.")]
    reason: Annotated[EscalationReason, Field(description="Why a human is asked.")]
    urgent: Annotated[bool, Field(description="Whether it could not wait for its turn.")]
    sensitive: Annotated[
        SensitiveMatter | None, Field(description="The matter that always reaches a human.")
    ]
    draft: Annotated[str, Field(description="The answer that the agent would give.")]
    plan: Annotated[
        tuple[PlannedAction, ...], Field(description="What the agent would do, in order.")
    ]
    latest_event_id: Annotated[
        Id | None,
        Field(description="ULID of the event whose message joined it last; null if none did."),
    ]
    claimed_by: Annotated[str | None, Field(description="Who is looking at it.")]
    claimed_at: Annotated[Time | None, Field(description="Since when.")]
    needs_second: Annotated[bool, Field(description="Whether two people must agree.")]
    first_approved_by: Annotated[str | None, Field(description="Who agreed first, of two.")]
    first_approved_at: Annotated[Time | None, Field(description="When that was.")]
    amount: Annotated[
        BigCount | None,
        Field(description="The largest sum that its plan would move, in minor units (cents)."),
    ]
    currency: Annotated[str | None, Field(description="Of `amount`, as in `EUR`.")]
    decided_by: Annotated[
        str | None, Field(description="The person who decided; null if none did.")
    ]
    decided_at: Annotated[Time | None, Field(description="When it was decided, or expired.")]
    decision: Annotated[Decision | None, Field(description="What was decided.")]
    edited_text: Annotated[str | None, Field(description="The words to send in place of `draft`.")]
    note: Annotated[str | None, Field(description="Why it was rejected, for colleagues.")]
    expires_at: Annotated[Time, Field(description="When it closes without a decision.")]
    created_at: Annotated[Time, Field(description="When the human was asked.")]


class SentimentRecord(Record):
    """The tone of one message of a customer. Written by the engine."""

    id: Annotated[Id, Field(description="ULID of the score.")]
    conversation_id: Annotated[Id, Field(description="ULID of the conversation.")]
    event_id: Annotated[Id, Field(description="ULID of the event that brought the message.")]
    score: Annotated[Score, Field(description="-1 (anger, despair) to 1 (joy); 0 is neutral.")]
    is_critical: Annotated[bool, Field(description="Whether it lies in the critical zone.")]
    created_at: Annotated[Time, Field(description="When it was scored.")]
