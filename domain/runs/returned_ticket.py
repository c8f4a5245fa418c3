"""Tickets that are credited back to the client because their runs used neither the brain nor the
executor."""

from domain.agent.brain import SETTLED_BY
from domain.agent.plan import StepOutcome
from domain.runs.run import Timings, steps_executed


def is_returned(
    thought_by: str | None,
    steps: tuple[StepOutcome, ...],
    *,
    failed: bool = False,
    timings: Timings | None = None,
) -> bool:
    """Return True if a finished run used neither the brain nor the executor, so that its ticket is
    credited back.

    `thought_by` is the model behind the draft, SETTLED_BY without a brain, or None without a draft.
    A run that failed after normalization gets no credit.
    """
    if failed:
        return timings is None or not timings.normalize
    return thought_by in (None, SETTLED_BY) and not steps_executed(steps)
