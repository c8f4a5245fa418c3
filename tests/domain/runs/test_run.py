"""The rules for a run's outcome."""

import pytest

from domain.agent.brain import Category
from domain.agent.escalation_reason import EscalationReason
from domain.agent.plan import ActionKind, PlannedAction, StepOutcome, StepState
from domain.intake.event import resolve_event_type
from domain.runs.run import (
    RunDraft,
    RunStatus,
    leaves_process,
    review_reason,
    status_of,
    steps_executed,
)


def draft(
    confidence: float, text: str = "an answer", doubt: EscalationReason | None = None
) -> RunDraft:
    return RunDraft(
        classification=Category.OTHER,
        confidence=confidence,
        text=text,
        doubt=doubt,
        plan=(PlannedAction(kind=ActionKind.REPLY),),
    )


def test_a_plan_of_nothing_is_looked_at_below_the_threshold() -> None:
    """But not if the message needs no answer, because then there is no doubt."""
    nothing = draft(0.1).model_copy(update={"plan": ()})
    doubtful = nothing.model_copy(update={"doubt": EscalationReason.LOW_CONFIDENCE})
    held = nothing.model_copy(update={"hold": EscalationReason.UNSAFE_INPUT})

    assert review_reason(nothing, 0.7) is None
    assert review_reason(doubtful, 0.7) is EscalationReason.LOW_CONFIDENCE
    assert review_reason(doubtful, 0.1) is None
    assert review_reason(held, 0.7) is EscalationReason.UNSAFE_INPUT


@pytest.mark.parametrize(
    ("given", "threshold", "reason"),
    [
        (draft(0.70), 0.70, None),
        (draft(0.6999), 0.70, EscalationReason.LOW_CONFIDENCE),
        (draft(0.0), 0.0, None),
        (draft(1.0), 1.0, None),
        (draft(0.9, text=""), 0.0, EscalationReason.LOW_CONFIDENCE),
        (draft(0.2, doubt=EscalationReason.MISSING_KNOWLEDGE), 0.7, "missing_knowledge"),
        (draft(0.2, doubt=EscalationReason.MISSING_KNOWLEDGE), 0.1, None),
        (draft(0.9, "", EscalationReason.CUSTOMER_REQUEST), 0.0, "customer_request"),
    ],
)
def test_review_reason(given: RunDraft, threshold: float, reason: str | None) -> None:
    assert review_reason(given, threshold) == reason


def test_only_what_leaves_the_process_is_an_activity_of_its_own() -> None:
    assert not leaves_process((ActionKind.REPLY,))
    assert leaves_process((ActionKind.REFUND, ActionKind.REPLY))


@pytest.mark.parametrize(
    ("states", "status", "executed"),
    [
        ([], RunStatus.COMPLETED, 0),
        ([StepState.DONE], RunStatus.COMPLETED, 1),
        ([StepState.FAILED], RunStatus.FAILED, 1),
        ([StepState.DONE, StepState.FAILED], RunStatus.NEEDS_REVIEW, 2),
        ([StepState.DONE, StepState.BLOCKED], RunStatus.NEEDS_REVIEW, 1),
        ([StepState.DONE, StepState.UNKNOWN], RunStatus.NEEDS_REVIEW, 2),
        ([StepState.FAILED, StepState.UNKNOWN], RunStatus.NEEDS_REVIEW, 2),
    ],
)
def test_outcome_of_the_steps(states: list[StepState], status: RunStatus, executed: int) -> None:
    steps = tuple(StepOutcome(kind=ActionKind.REPLY, state=state) for state in states)

    assert status_of(steps) is status
    assert steps_executed(steps) == executed


def test_a_step_that_was_never_begun_is_not_counted() -> None:
    steps = (StepOutcome(kind=ActionKind.REFUND, state=StepState.FAILED, begun=False),)

    assert steps_executed(steps) == 0


@pytest.mark.parametrize(
    ("event_type", "source", "expected"),
    [
        ("a", "b", "a"),
        (None, "b", "b"),
        ("", "b", "b"),
        (None, None, "api_direct"),
        ("", "", "api_direct"),
    ],
)
def test_event_type(event_type: str | None, source: str | None, expected: str) -> None:
    assert resolve_event_type(event_type, source) == expected
