"""A review: an escalation as displayed to reviewers, with all the information needed to decide."""

from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from domain.agent.brain import Alternative, Citation, Turn
from domain.agent.escalation_reason import EscalationReason
from domain.agent.guard_finding import GuardFinding
from domain.agent.intent import Intent
from domain.agent.model_fault import ModelFault
from domain.agent.plan import PlannedAction, StepOutcome
from domain.agent.policy_decision import PolicyDecision
from domain.agent.safety.sensitive import SensitiveMatter
from domain.core.money import Money
from domain.intake.attachment import Attachment
from domain.integrations.order import Order
from domain.reviews.escalation import OPEN_STATUSES, Claim, EscalationStatus
from domain.reviews.waiting import ShownWait


class Wanted(StrEnum):
    """A filter for lists of reviews: one status, all open reviews, or all reviews."""

    OPEN = "open"
    ALL = "all"
    PENDING = "pending"
    CLAIMED = "claimed"
    APPROVED = "approved"
    EDITED = "edited"
    REJECTED = "rejected"
    EXPIRED = "expired"

    @property
    def statuses(self) -> frozenset[EscalationStatus]:
        """Return the statuses of the reviews that the filter selects."""
        if self is Wanted.ALL:
            return frozenset(EscalationStatus)
        return OPEN_STATUSES if self is Wanted.OPEN else frozenset({EscalationStatus(self.value)})


class QueuePlace(NamedTuple):
    """The position of a review in the queue. Urgent reviews may come first."""

    urgent: bool
    created_at: datetime
    id: str


class ReviewSummary(BaseModel):
    """A review as listed in the queue."""

    model_config = ConfigDict(frozen=True)

    id: str
    client_id: str
    run_id: str
    status: EscalationStatus
    reason: EscalationReason = Field(description="Escalation reason: why a human must decide.")
    urgent: bool = Field(
        description="True if the review is urgent. Urgent reviews precede others in the queue."
    )
    sensitive: SensitiveMatter | None = Field(
        description=(
            "Sensitive topic of the message, which always requires a human; null if there is none."
        )
    )
    model_fault: ModelFault | None = Field(
        description="Reason why the language model produced no answer; null if it did."
    )
    classification: str
    confidence: float = Field(ge=0, le=1)
    customer_email: str | None
    subject: str | None
    preview: str = Field(description="Beginning of the customer's message.")
    draft_preview: str = Field(description="Beginning of the draft. Empty if there is none.")
    amount: Money | None = Field(description="Largest amount that the plan would move.")
    can_approve: bool = Field(
        description=(
            "True if the review can be approved: it is open and has a draft. Without a draft, a "
            "human must write the answer."
        )
    )
    needs_second: bool = Field(description="True if two people must approve the review.")
    first_approved_by: str | None
    claim: Claim | None
    decided_by: str | None
    decided_at: datetime | None
    created_at: datetime
    expires_at: datetime

    @property
    def place(self) -> QueuePlace:
        """Return the position of the review in the queue."""
        return QueuePlace(self.urgent, self.created_at, self.id)


class CaseMessage(BaseModel):
    """A customer's message that belongs to a review."""

    model_config = ConfigDict(frozen=True)

    event_id: str
    text: str
    received_at: datetime
    attachments: tuple[Attachment, ...] = Field(
        default=(), description="Files received with the message."
    )
    covered: bool = Field(
        default=True,
        description=(
            "True if the draft takes this message into account. An approval leaves messages "
            "open that the draft does not cover. An edit covers all messages."
        ),
    )
    in_draft: bool = Field(
        default=False,
        description="True if the agent revised the draft and the plan because of this message.",
    )
    answered: bool = Field(
        default=False,
        description=(
            "True if the agent answered this message separately during the review, because it "
            "concerned another topic."
        ),
    )
    classification: str | None = Field(
        default=None,
        description="Category of this message alone; null if the agent has not read the message.",
    )
    intent: Intent | None = Field(
        default=None, description=("Intent of this message alone; null if unknown.")
    )
    plan: tuple[PlannedAction, ...] = Field(
        default=(),
        description=(
            "Actions requested in this message alone. The review executes its own plan instead."
        ),
    )


class Review(ReviewSummary):
    """One review with all its details."""

    text: str = Field(description="Text of the customer's message.")
    messages: tuple[CaseMessage, ...] = Field(
        description=(
            "Message that opened the review, followed by the messages that arrived while it was "
            "open."
        )
    )
    authors: tuple[str, ...] = Field(
        description=(
            "Ids of the users who typed a message in the conversation. None of them may "
            "approve the review."
        )
    )
    latest_message: str = Field(
        description=(
            "`event_id` of the customer's latest message. An approval must name the latest "
            "message that the reviewer has read."
        )
    )
    revision: int = Field(
        description=(
            "Number of times the agent revised the draft and the plan because the customer "
            "wrote again. An approval must name the revision that the reviewer has read."
        )
    )
    draft: str = Field(description="Text that an approval sends.")
    agent_draft: str = Field(
        description="Text that the agent wrote. A reviewer may have replaced it in `draft`."
    )
    acknowledgement: str | None = Field(
        default=None,
        description=(
            "Text that the customer could receive immediately, such as an excerpt from knowledge; "
            "null if there was none."
        ),
    )
    alternatives: tuple[Alternative, ...]
    citations: tuple[Citation, ...] = Field(
        description="Sources on which the agent's draft is based."
    )
    guard_findings: tuple[GuardFinding, ...] = Field(
        default=(),
        description=(
            "Words of the agent's draft that the guards rejected. `held`: they are still in the "
            "draft, and a human must check them."
        ),
    )
    plan: tuple[PlannedAction, ...]
    verdicts: tuple[PolicyDecision, ...] = Field(
        description=("Policy decisions on the plan's actions.")
    )
    steps: tuple[StepOutcome, ...] = Field(
        description=("Outcomes of the actions that have been attempted.")
    )
    order: Order | None = Field(
        description=(
            "Order that the lookup found, if it belongs to this customer; null otherwise. Refunds "
            "and cancellations executed since the lookup are taken into account."
        )
    )
    turns: tuple[Turn, ...] = Field(
        description=("Earlier messages of the conversation, oldest first.")
    )
    first_approved_at: datetime | None
    note: str | None = Field(description="Reason for the rejection; null if there is none.")
    waiting: ShownWait | None = Field(
        default=None,
        description=(
            "Customer's wait for an answer; null if no message is waiting or the client has no "
            "target."
        ),
    )
