"""Runs that return their ticket to the quota."""

import pytest

from domain.agent.brain import SETTLED_BY
from domain.agent.plan import ActionKind, StepOutcome, StepState
from domain.runs.returned_ticket import is_returned
from domain.runs.run import Timings

DONE = (StepOutcome(kind=ActionKind.REPLY, state=StepState.DONE),)
BLOCKED = (StepOutcome(kind=ActionKind.REPLY, state=StepState.BLOCKED),)
UNKNOWN = (StepOutcome(kind=ActionKind.REFUND, state=StepState.UNKNOWN),)


@pytest.mark.parametrize(
    ("thought_by", "steps", "returned"),
    [
        (None, (), True),
        (SETTLED_BY, (), True),
        (SETTLED_BY, BLOCKED, True),
        (SETTLED_BY, DONE, False),
        (SETTLED_BY, UNKNOWN, False),
        ("embedded", (), False),
        ("embedded", DONE, False),
    ],
)
def test_neither_brain_nor_executor(
    thought_by: str | None, steps: tuple[StepOutcome, ...], returned: bool
) -> None:
    assert is_returned(thought_by, steps) is returned


@pytest.mark.parametrize("thought_by", [None, SETTLED_BY, "embedded"])
def test_a_failure_counts_once_the_event_was_normalized(thought_by: str | None) -> None:
    """The brain or the executor ran, and failed."""
    assert is_returned(thought_by, (), failed=True, timings=Timings())
    assert not is_returned(thought_by, (), failed=True, timings=Timings(normalize=0.1))
