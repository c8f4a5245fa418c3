"""The review: an escalation as shown to people, with everything needed to decide."""

from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from domain.agent.brain import Alternative, Citation, Turn
from domain.agent.escalation_reason import EscalationReason
from domain.agent.intent import Intent
from domain.agent.plan import PlannedAction, StepOutcome
from domain.agent.safety.sensitive import SensitiveMatter
from domain.agent.verdict import Verdict
from domain.core.money import Money
from domain.intake.attachment import Attachment
from domain.integrations.order import Order
from domain.reviews.escalation import OPEN_STATUSES, Claim, EscalationStatus


class Wanted(StrEnum):
    """A filter for reviews: one status, all open reviews, or all reviews."""

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
        if self is Wanted.ALL:
            return frozenset(EscalationStatus)
        return OPEN_STATUSES if self is Wanted.OPEN else frozenset({EscalationStatus(self.value)})


class QueuePlace(NamedTuple):
    """A review's position in the queue. Urgent reviews may come first."""

    urgent: bool
    created_at: datetime
    id: str


class ReviewSummary(BaseModel):
    """A review in the queue's list."""

    model_config = ConfigDict(frozen=True)

    id: str
    client_id: str
    run_id: str
    status: EscalationStatus
    reason: EscalationReason = Field(description="Why a human is asked.")
    urgent: bool = Field(description="It cannot wait for its turn.")
    sensitive: SensitiveMatter | None = Field(description="The matter that always needs a human.")
    classification: str
    confidence: float = Field(ge=0, le=1)
    customer_email: str | None
    subject: str | None
    preview: str = Field(description="How the customer's text begins.")
    draft_preview: str = Field(description="How the draft begins; empty without one.")
    amount: Money | None = Field(description="The largest sum that its plan would move.")
    can_approve: bool = Field(
        description="It is open and has a draft; without one a human's words are needed."
    )
    needs_second: bool = Field(description="Two people must agree.")
    first_approved_by: str | None
    claim: Claim | None
    decided_by: str | None
    decided_at: datetime | None
    created_at: datetime
    expires_at: datetime

    @property
    def place(self) -> QueuePlace:
        return QueuePlace(self.urgent, self.created_at, self.id)


class CaseMessage(BaseModel):
    """A customer's message that belongs to a review."""

    model_config = ConfigDict(frozen=True)

    event_id: str
    text: str
    received_at: datetime
    attachments: tuple[Attachment, ...] = Field(
        default=(), description="The files that came with it."
    )
    covered: bool = Field(
        default=True,
        description="The draft was written with this message in view. An approval leaves a "
        "message that is not covered open; an edit covers all.",
    )
    in_draft: bool = Field(
        default=False, description="The agent made draft and plan again because of this message."
    )
    answered: bool = Field(
        default=False, description="The agent answered it during the review, as another matter."
    )
    classification: str | None = Field(
        default=None, description="Of this message alone; null if the agent has not read it."
    )
    intent: Intent | None = Field(default=None, description="Of this message alone.")
    plan: tuple[PlannedAction, ...] = Field(
        default=(),
        description="The actions that this message alone asks for. The plan of the review is "
        "carried out, not this one.",
    )


class Review(ReviewSummary):
    """One review with all its details."""

    text: str = Field(description="What the customer wrote.")
    messages: tuple[CaseMessage, ...] = Field(
        description="The one it began with, then those that came while people had it."
    )
    authors: tuple[str, ...] = Field(
        description="Ids of the users who typed a message of its conversation; none of them may "
        "approve it."
    )
    latest_message: str = Field(
        description="`event_id` of the customer's latest message: an approval names what it has "
        "seen."
    )
    revision: int = Field(
        description="How often the agent has changed draft and plan because the customer wrote "
        "again: an approval names what it has seen."
    )
    draft: str = Field(description="What an approval sends.")
    agent_draft: str = Field(description="What the agent wrote; a human may have replaced it.")
    alternatives: tuple[Alternative, ...]
    citations: tuple[Citation, ...] = Field(description="What the agent's draft rests on.")
    plan: tuple[PlannedAction, ...]
    verdicts: tuple[Verdict, ...] = Field(description="What the policy says of the actions.")
    steps: tuple[StepOutcome, ...] = Field(description="What was tried already.")
    order: Order | None = Field(description="Looked up, and this customer's.")
    turns: tuple[Turn, ...] = Field(description="Earlier messages, oldest first.")
    first_approved_at: datetime | None
    note: str | None = Field(description="Why it was rejected.")
