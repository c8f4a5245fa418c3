"""Tickets that are given back: neither the brain nor the executor ran for them."""

from domain.agent.plan import StepOutcome
from domain.agent.settling import SETTLED_BY
from domain.runs.run import Timings, steps_executed


def is_returned(
    thought_by: str | None,
    steps: tuple[StepOutcome, ...],
    *,
    failed: bool = False,
    timings: Timings | None = None,
) -> bool:
    """Return whether a run that ends used neither the brain nor the executor.

    `thought_by`: the model of the run's thought, SETTLED_BY for one that no brain was asked for,
    None before a thought. A run that `failed` after its event was normalized failed in the brain or
    the executor, so its ticket counts.
    """
    if failed:
        return timings is None or not timings.normalize
    return thought_by in (None, SETTLED_BY) and not steps_executed(steps)
