"""The run: the agent's work on one event, and the rules of its outcome."""

from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from domain.brain import BrainAnswer, Category
from domain.escalation import EscalationReason
from domain.event import Channel, UnifiedEvent
from domain.plan import IN_PLACE, ActionKind, PlannedAction, StepOutcome, StepState


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

    `confidence` 0 to 1; `duration_ms` from the request's arrival to the persisted result.
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


class Draft(BaseModel):
    """What the brain left on a run: the answer it would give and how it would give it."""

    model_config = ConfigDict(frozen=True)

    classification: Category
    confidence: float
    text: str
    doubt: EscalationReason | None
    plan: tuple[PlannedAction, ...]

    @classmethod
    def of(cls, answer: BrainAnswer, plan: tuple[PlannedAction, ...]) -> "Draft":
        return cls(
            classification=answer.classification,
            confidence=answer.confidence,
            text=answer.response,
            doubt=answer.doubt,
            plan=plan,
        )


def review_reason(draft: Draft, threshold: float) -> EscalationReason | None:
    """Why a human must see this draft before the customer does, or None if the agent may go on.

    Below the playbook's threshold goes to review, equal passes. An empty answer is never sent.
    """
    if draft.confidence < threshold or not draft.text:
        return draft.doubt or EscalationReason.LOW_CONFIDENCE
    return None


def plan_for(event: UnifiedEvent) -> tuple[PlannedAction, ...]:
    """The actions that answer this event: by mail where the customer wrote a mail, else in place.

    What asks for no answer (auto-replies, lists, bounces, the staff's own messages) gets none, or
    two robots would write to each other for ever. A mail without a usable address is answered in
    place: the caller knows where it came from.
    """
    if not event.reply_allowed:
        return ()
    if event.channel is Channel.EMAIL and event.customer_email:
        return (PlannedAction(kind=ActionKind.REPLY_BY_EMAIL),)
    return (PlannedAction(kind=ActionKind.REPLY),)


def leaves_process(actions: tuple[ActionKind, ...]) -> bool:
    """Whether carrying the plan out talks to somebody else's system."""
    return any(kind not in IN_PLACE for kind in actions)


def steps_executed(steps: tuple[StepOutcome, ...]) -> int:
    """The number of actions that were triggered and did their work."""
    return sum(step.state is StepState.DONE for step in steps)


def status_of(steps: tuple[StepOutcome, ...]) -> RunStatus:
    """What the executor's outcomes make of the run: one unknown outcome asks a human."""
    states = {step.state for step in steps}
    if StepState.UNKNOWN in states:
        return RunStatus.NEEDS_REVIEW
    if StepState.FAILED in states:
        return RunStatus.FAILED
    return RunStatus.COMPLETED


UNCLASSIFIED = Category.OTHER
"""What a run that failed before the brain answered is filed under."""
