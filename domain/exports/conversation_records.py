"""Export records for conversations: messages, sentiments and reviews."""

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
    """A message in a conversation. The engine writes the record when it receives or sends the
    message."""

    id: Annotated[Id, Field(description="ULID of the message.")]
    event_id: Annotated[
        Id | None,
        Field(
            description=(
                "ULID of the message's own event, or of the event that it answers; null for a "
                "member's reply."
            )
        ),
    ]
    reply_id: Annotated[
        Id | None,
        Field(
            default=None,
            description="ULID of the member's reply; null for every other message.",
        ),
    ]
    direction: Annotated[
        Literal["inbound", "outbound"],
        Field(description="Direction of the message; `inbound` means that the customer sent it."),
    ]
    channel: Annotated[Channel | None, Field(description="Channel of the message.")]
    author: Annotated[
        Literal["customer", "agent", "human"],
        Field(description="Author of the message; `human` is a member of the merchant's team."),
    ]
    customer_key: Annotated[
        str | None,
        Field(
            description=(
                "Customer's email address in the canonical form that is used for rate limits."
            )
        ),
    ]
    body: Annotated[
        str, Field(description="Text of the message, without quoted replies and signature.")
    ]
    created_at: Annotated[Time, Field(description="Time when the message was stored.")]


class ConversationRecord(Record):
    """A conversation with a customer: a ticket, an email thread or a widget session. Other messages
    from the same address form one conversation, which ends after a period without messages. The
    engine writes these records."""

    id: Annotated[Id, Field(description="ULID of the conversation.")]
    key: Annotated[
        str,
        Field(
            description=(
                "Key that groups the messages of a conversation: `ticket:…`, `mail:…`, "
                "`session:…`, `email:…` or `event:…`. After the conversation has ended, a slash "
                "and the conversation's id follow."
            )
        ),
    ]
    memory_key: Annotated[
        str | None,
        Field(
            default=None,
            description=(
                "Key of the customer memory shared by all of the customer's conversations; "
                "null without a verified address."
            ),
        ),
    ]
    channel: Annotated[Channel, Field(description="Channel in which the conversation started.")]
    customer_email: Annotated[str | None, Field(description="Customer's email address.")]
    summary: Annotated[
        str,
        Field(
            description=(
                "Outcomes of the customer's runs, one per line, as the agent remembers them. "
                "If the customer is not verified, only the outcomes in this conversation."
            )
        ),
    ]
    thread: Annotated[
        Thread,
        Field(
            default=Thread(),
            description=("State of the conversation, such as its current order."),
        ),
    ]
    sentiment: Annotated[
        Score | None, Field(description="Sentiment of the latest message, -1 (anger) to 1 (joy).")
    ]
    is_critical: Annotated[bool, Field(description="True if `sentiment` is in the critical range.")]
    handed_over_at: Annotated[
        Time | None,
        Field(
            default=None,
            description=(
                "Time when human agents took over the conversation; null if they have not "
                "taken it over."
            ),
        ),
    ]
    taken_by: Annotated[
        str | None,
        Field(
            default=None,
            description=(
                "Member who took over the conversation in the dashboard and has not handed it "
                "back; null if there is none."
            ),
        ),
    ]
    taken_at: Annotated[
        Time | None,
        Field(
            default=None,
            description=(
                "Time when `taken_by` took over the conversation; null if `taken_by` is null."
            ),
        ),
    ]
    closed_at: Annotated[
        Time | None,
        Field(
            default=None,
            description="Time when members closed the conversation; null if it is not closed.",
        ),
    ]
    snoozed_until: Annotated[
        Time | None,
        Field(
            default=None,
            description=(
                "Time until which members snoozed the conversation; null if it was not snoozed."
            ),
        ),
    ]
    assignee: Annotated[
        str | None,
        Field(default=None, description="Assigned member; null if there is none."),
    ]
    tags: Annotated[tuple[str, ...], Field(default=(), description="Tags, in alphabetical order.")]
    ended_at: Annotated[
        Time | None,
        Field(
            default=None,
            description=(
                "Time when another conversation replaced this one; null if none has replaced it."
            ),
        ),
    ]
    created_at: Annotated[Time, Field(description="Time of the first message.")]
    last_message_at: Annotated[
        Time, Field(description="Time of the latest message, received or sent.")
    ]
    messages: Annotated[tuple[MessageRecord, ...], Field(description="All messages, oldest first.")]


class EscalationRecord(Record):
    """A review: a run that waits, or waited, for a human decision. The engine and the reviewer
    write these records."""

    id: Annotated[Id, Field(description="ULID of the review.")]
    run_id: Annotated[Id, Field(description="ULID of the run.")]
    round: Annotated[
        Count,
        Field(description=("Zero-based round of the review: 0 for the first review of the run.")),
    ]
    status: Annotated[EscalationStatus, Field(description="Status of the review.")]
    reason: Annotated[
        EscalationReason, Field(description="Escalation reason: why a human must decide.")
    ]
    urgent: Annotated[
        bool,
        Field(
            description=(
                "True if the review is urgent, so that it precedes others in the review queue."
            )
        ),
    ]
    sensitive: Annotated[
        SensitiveMatter | None,
        Field(
            description=(
                "Sensitive topic of the message, which always requires a human; null if there is "
                "none."
            )
        ),
    ]
    draft: Annotated[str, Field(description="Answer proposed by the agent.")]
    plan: Annotated[
        tuple[PlannedAction, ...], Field(description="Actions proposed by the agent, in order.")
    ]
    latest_event_id: Annotated[
        Id | None,
        Field(
            description=(
                "ULID of the event with the latest message that was added to the review; null if "
                "none was added."
            )
        ),
    ]
    claimed_by: Annotated[
        str | None,
        Field(description="Member who has claimed the review; null if no one has claimed it."),
    ]
    claimed_at: Annotated[
        Time | None,
        Field(description=("Time when the review was claimed; null if no one has claimed it.")),
    ]
    needs_second: Annotated[bool, Field(description="Whether two people must approve the plan.")]
    first_approved_by: Annotated[
        str | None,
        Field(
            description=(
                "First reviewer who approved, if two people must approve; null if there is "
                "none yet."
            )
        ),
    ]
    first_approved_at: Annotated[
        Time | None,
        Field(
            description=(
                "Time of the first approval, if two people must approve; null if there is none yet."
            )
        ),
    ]
    amount: Annotated[
        BigCount | None,
        Field(description="Largest amount that the plan would move, in minor units (cents)."),
    ]
    currency: Annotated[str | None, Field(description="Currency of `amount`, such as `EUR`.")]
    decided_by: Annotated[
        str | None,
        Field(description=("Reviewer who decided the review; null if no human has decided it.")),
    ]
    decided_at: Annotated[
        Time | None,
        Field(
            description=(
                "Time when the review was decided or expired; null while the review is open."
            )
        ),
    ]
    decision: Annotated[
        Decision | None, Field(description="Decision on the review; null while it is open.")
    ]
    edited_text: Annotated[
        str | None,
        Field(
            description=(
                "Text that the reviewer sent instead of `draft`; null if `draft` was not edited."
            )
        ),
    ]
    note: Annotated[
        str | None,
        Field(
            description=("Reason why the reviewer rejected the draft, visible only to teammates.")
        ),
    ]
    expires_at: Annotated[
        Time, Field(description="Time at which the review expires unless a reviewer decides.")
    ]
    created_at: Annotated[Time, Field(description="Time when the review was opened.")]


class SentimentRecord(Record):
    """The sentiment of one message from a customer. The engine writes these records."""

    id: Annotated[Id, Field(description="ULID of the sentiment score.")]
    conversation_id: Annotated[Id, Field(description="ULID of the conversation.")]
    event_id: Annotated[Id, Field(description="ULID of the event with the message.")]
    score: Annotated[
        Score,
        Field(
            description="Sentiment of the message, -1 (anger, despair) to 1 (joy); 0 is neutral."
        ),
    ]
    is_critical: Annotated[bool, Field(description="True if `score` is in the critical range.")]
    created_at: Annotated[Time, Field(description="Time when the message was scored.")]
