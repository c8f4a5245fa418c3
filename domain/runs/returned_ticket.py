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
    """Return True if a finished run used neither the brain nor the executor. Its ticket is then
    credited back.

    `thought_by`: the model that drafted the run's answer, SETTLED_BY if no brain was called, or
    None before there is a draft. A run that `failed` after normalization failed in the brain or the
    executor, so its ticket is not credited back.
    """
    if failed:
        return timings is None or not timings.normalize
    return thought_by in (None, SETTLED_BY) and not steps_executed(steps)
