"""The trace of a run: the record that explains its outcome to members and operators.

It contains the customer's text and the agent's work, but no credentials: integrations appear only
by id.
"""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict

from domain.agent.brain import Alternative, Citation
from domain.agent.escalation_reason import EscalationReason
from domain.agent.guard_finding import GuardFinding
from domain.agent.model_fault import ModelFault
from domain.agent.plan import ActionKind, PlannedAction, StepOutcome
from domain.agent.policy_decision import PolicyDecision
from domain.agent.safety.sensitive import SensitiveMatter
from domain.agent.thinking_result import Finding
from domain.agent.thread import Thread
from domain.core.money import Money
from domain.intake.attachment import Attachment
from domain.intake.event import UnifiedEvent
from domain.integrations.order import Lookup
from domain.reviews.escalation import Decision, EscalationStatus
from domain.runs.run import RunStatus, Timings


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True)


class TracedEvent(_Part):
    """The event as received and, once normalized, as the brain reads it. `author`: id of the user
    who typed the event, or null if a system sent the event."""

    event_id: str
    event_type: str
    source: str | None
    author: str | None = None
    received_at: datetime
    normalized: UnifiedEvent | None
    attachments: tuple[Attachment, ...] = ()


class TracedPlaybook(_Part):
    """The playbook selected at admission, in the version that applies to this run."""

    playbook_id: str
    version: int
    name: str
    threshold: float


class Thought(_Part):
    """The brain's result for the message, empty until the brain has answered.

    - `intent`: the intent within the category.
    - `prompt_version`: the version of a language model's prompt.
    - `doubt`: the brain's own escalation reason.
    - `hold`: the reason for a review at any confidence.
    - `model_fault`: the fault of the preferred model, also while the run waits for it.
    """

    model: str | None
    model_fault: ModelFault | None = None
    prompt_version: str | None
    classification: str | None
    intent: str | None
    confidence: float | None
    alternatives: tuple[Alternative, ...]
    language: str | None
    sentiment: float | None
    draft: str | None
    citations: tuple[Citation, ...]
    guard_findings: tuple[GuardFinding, ...]
    doubt: EscalationReason | None
    hold: EscalationReason | None
    tokens_in: int
    tokens_out: int
    cost_micros: int


class TracedEffect(_Part):
    """A row in the action ledger. `step` is the action's position in the plan. `state` is `planned`
    until the outcome is recorded. `reference` is the external system's id."""

    step: int
    round: int
    action: ActionKind
    state: Literal["planned", "done", "failed", "unknown"]
    detail: str
    integration_id: str | None
    order_key: str | None
    amount: Money | None
    reference: str | None
    planned_at: datetime
    finished_at: datetime | None


class TracedReview(_Part):
    """A review of the run, with its decision, reviewer and times."""

    review_id: str
    round: int
    status: EscalationStatus
    reason: EscalationReason
    draft: str
    amount: Money | None
    needs_second: bool
    claimed_by: str | None
    claimed_at: datetime | None
    first_approved_by: str | None
    first_approved_at: datetime | None
    decision: Decision | None
    decided_by: str | None
    decided_at: datetime | None
    edited_text: str | None
    created_at: datetime
    expires_at: datetime
    taken_up_at: datetime | None


class RunTrace(_Part):
    """The record of a run from its event to its outcome, in chronological order.

    - `steps`: the outcomes of the plan's last execution.
    - `effects`, `reviews`: the ledger rows and reviews of all rounds.
    - `duration_ms`: from the request to the caller's answer.
    - `sensitive`: the topic that prevented a call to a brain.
    - `joined_review`: the review that received the message.
    - `thread_after`: the thread's state after the answer.
    """

    run_id: str
    client_id: str
    status: RunStatus
    event: TracedEvent
    playbook: TracedPlaybook
    lookup: Lookup | None
    findings: tuple[Finding, ...]
    thought: Thought
    verdicts: tuple[PolicyDecision, ...]
    plan: tuple[PlannedAction, ...]
    handoff_reason: EscalationReason | None
    sensitive: SensitiveMatter | None
    joined_review: str | None
    thread_after: Thread | None
    reviews: tuple[TracedReview, ...]
    steps: tuple[StepOutcome, ...]
    effects: tuple[TracedEffect, ...]
    response: str | None
    error_code: str | None
    timings: Timings
    duration_ms: int | None
    answered_at: datetime | None
    finished_at: datetime | None


class RunSummary(_Part):
    """A run as listed in an overview of runs. `preview` is the beginning of the customer's
    message."""

    run_id: str
    event_id: str
    status: RunStatus
    event_type: str
    customer_email: str | None
    subject: str | None
    preview: str
    classification: str | None
    confidence: float | None
    sentiment: float | None
    handoff_reason: EscalationReason | None
    error_code: str | None
    duration_ms: int | None
    received_at: datetime
    finished_at: datetime | None
