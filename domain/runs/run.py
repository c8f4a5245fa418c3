"""The run: the agent's work on one event, and the rules of its outcome."""

from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from domain.agent.brain import Category
from domain.agent.escalation_reason import EscalationReason
from domain.agent.plan import IN_PLACE, ActionKind, PlannedAction, StepOutcome, StepState
from domain.agent.thinking import ThinkingResult
from domain.agent.verdict import PolicyReason


class RunStatus(StrEnum):
    """`received`: admitted, not answered yet. The others are the gateway's statuses."""

    RECEIVED = "received"
    COMPLETED = "completed"
    NEEDS_REVIEW = "needs_review"
    FAILED = "failed"


class EventOutcome(StrEnum):
    """What admission made of an event: a run, or the note that no playbook wanted it."""

    RUN = "run"
    NO_PLAYBOOK = "no_playbook"


class Timings(BaseModel):
    """Milliseconds by step, measured in the step itself by a monotonic clock."""

    model_config = ConfigDict(frozen=True)

    normalize: float = 0
    lookup: float = 0
    brain: float = 0
    execute: float = 0


class RunResult(BaseModel):
    """The gateway's answer for a run, as the specification lists its fields.

    `confidence` 0 to 1; `duration_ms` from the request to the answer. `draft`:
    of a dry run only, what was generated even if nobody would be sent it. `acknowledgement`: what
    may be said at once to a customer whose matter always goes to a human, or who writes in a
    language that is not answered; `response` stays empty.
    """

    model_config = ConfigDict(frozen=True)

    event_id: str
    run_id: str
    status: RunStatus
    classification: str
    confidence: float
    response: str
    steps_executed: int
    duration_ms: int
    acknowledgement: str | None = None
    draft: str | None = None


class RunDraft(BaseModel):
    """What thinking left on a run: the answer it would give and how it would give it.

    `doubt` counts below the threshold, `hold` whatever the confidence. `aside_of`: the review
    during which the agent answers the message, as another matter.
    """

    model_config = ConfigDict(frozen=True)

    classification: Category
    confidence: float
    text: str
    doubt: EscalationReason | None
    hold: EscalationReason | None = None
    plan: tuple[PlannedAction, ...]
    aside_of: str | None = None

    @classmethod
    def of(cls, thought: ThinkingResult) -> "RunDraft":
        return cls(
            classification=thought.answer.classification,
            confidence=thought.answer.confidence,
            text=thought.text,
            doubt=thought.doubt,
            hold=thought.hold,
            plan=thought.plan,
        )


def review_reason(draft: RunDraft, threshold: float) -> EscalationReason | None:
    """Why a human must see this draft before the customer does, or None if the agent may go on.

    Below the playbook's threshold goes to review, equal passes. An empty answer is never sent. A
    plan of nothing is looked at below the threshold too, unless the message asks for no answer:
    then it has no doubt.
    """
    if draft.hold is not None:
        return draft.hold
    if not draft.plan:
        return draft.doubt if draft.confidence < threshold else None
    if draft.confidence < threshold or not draft.text:
        return draft.doubt or EscalationReason.LOW_CONFIDENCE
    return None


def leaves_process(actions: tuple[ActionKind, ...]) -> bool:
    """Whether carrying the plan out talks to somebody else's system."""
    return any(kind not in IN_PLACE for kind in actions)


def steps_executed(steps: tuple[StepOutcome, ...]) -> int:
    """The number of actions that were actually triggered, as the specification counts them."""
    return sum(step.was_triggered for step in steps)


def status_of(steps: tuple[StepOutcome, ...]) -> RunStatus:
    """What the executor's outcomes make of the run.

    A human is asked where an outcome is unknown or a step was blocked, and where something was
    done and something else was not: the customer may have the money and no answer.
    """
    states = {step.state for step in steps}
    if states & {StepState.UNKNOWN, StepState.BLOCKED}:
        return RunStatus.NEEDS_REVIEW
    if StepState.FAILED in states:
        return RunStatus.NEEDS_REVIEW if StepState.DONE in states else RunStatus.FAILED
    return RunStatus.COMPLETED


def reason_of(steps: tuple[StepOutcome, ...]) -> EscalationReason:
    """Why a human is asked about these outcomes."""
    if any(step.detail == PolicyReason.AUTOMATION_STOPPED for step in steps):
        return EscalationReason.AUTOMATION_STOPPED
    blocked = any(step.state is StepState.BLOCKED for step in steps)
    return EscalationReason.POLICY_RESTRICTION if blocked else EscalationReason.TOOL_FAILURE


UNCLASSIFIED = Category.OTHER
"""What a run that failed before the brain answered is filed under."""
