"""A run: the agent's work on one event, and the rules that determine its status."""

from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from domain.agent.brain import Category
from domain.agent.escalation_reason import EscalationReason
from domain.agent.plan import IN_PLACE, ActionKind, PlannedAction, StepOutcome, StepState
from domain.agent.policy_decision import PolicyReason
from domain.agent.thinking_result import ThinkingResult


class RunStatus(StrEnum):
    """The status of a run. `received`: admitted, but not answered. The others are returned by the
    gateway."""

    RECEIVED = "received"
    COMPLETED = "completed"
    NEEDS_REVIEW = "needs_review"
    FAILED = "failed"


class EventOutcome(StrEnum):
    """The result of an event's admission: either a run, or an event stored without a run because no
    playbook matches it."""

    RUN = "run"
    NO_PLAYBOOK = "no_playbook"


class Timings(BaseModel):
    """Duration of each processing step in milliseconds, measured within the step with a monotonic
    clock."""

    model_config = ConfigDict(frozen=True)

    normalize: float = 0
    lookup: float = 0
    brain: float = 0
    execute: float = 0


class RunResult(BaseModel):
    """The gateway's answer for a run, with the fields of the specification.

    - `confidence`: from 0 to 1.
    - `duration_ms`: from the request to the answer.
    - `draft`: the text of a dry run, even if it would not be sent.
    - `acknowledgement`: a text to send now instead of `response`, for a sensitive topic or an
      unsupported language.
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
    """The brain's result for one event: the answer and the plan of the run.

    `doubt` escalates only below the confidence threshold, and `hold` at any confidence. `aside_of`
    is an open review about another topic.
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
    """Return the reason why a human must review this draft, or None if the agent may continue.

    A confidence below the threshold requires a review, and an empty answer is never sent. A draft
    with an empty plan is reviewed only with low confidence and a `doubt`, because a message that
    needs no answer has none.
    """
    if draft.hold is not None:
        return draft.hold
    if not draft.plan:
        return draft.doubt if draft.confidence < threshold else None
    if draft.confidence < threshold or not draft.text:
        return draft.doubt or EscalationReason.LOW_CONFIDENCE
    return None


def leaves_process(actions: tuple[ActionKind, ...]) -> bool:
    """Return True if executing these actions calls an external system."""
    return any(kind not in IN_PLACE for kind in actions)


def steps_executed(steps: tuple[StepOutcome, ...]) -> int:
    """Return the number of triggered actions, counted as in the specification."""
    return sum(step.was_triggered for step in steps)


def status_of(steps: tuple[StepOutcome, ...]) -> RunStatus:
    """Return the run's status for the outcomes of the executed steps.

    A human reviews unknown and blocked steps, and partial executions: the customer may have the
    money but no answer.
    """
    states = {step.state for step in steps}
    if states & {StepState.UNKNOWN, StepState.BLOCKED}:
        return RunStatus.NEEDS_REVIEW
    if StepState.FAILED in states:
        return RunStatus.NEEDS_REVIEW if StepState.DONE in states else RunStatus.FAILED
    return RunStatus.COMPLETED


def reason_of(steps: tuple[StepOutcome, ...]) -> EscalationReason:
    """Return the escalation reason for the outcomes of the executed steps."""
    if any(step.detail == PolicyReason.AUTOMATION_STOPPED for step in steps):
        return EscalationReason.AUTOMATION_STOPPED
    blocked = any(step.state is StepState.BLOCKED for step in steps)
    return EscalationReason.POLICY_RESTRICTION if blocked else EscalationReason.TOOL_FAILURE


UNCLASSIFIED = Category.OTHER
"""The category of a run that failed before the brain returned a category."""
