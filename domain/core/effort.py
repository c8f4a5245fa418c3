"""A limit on the work for one event's text, in steps instead of seconds.

A function spends one step per character before it examines a text. The work stops with OverBudget,
at the same step on every machine, and never blocks the event loop.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from domain.core.errors import OverBudget

EVENT_STEPS: Final = 20_000_000
"""Maximum number of steps for one event, shared by normalization and the drafting of an answer."""


class StepBudget:
    """A step limit and the number of steps spent so far."""

    def __init__(self, budget: int) -> None:
        self._budget = budget
        self.spent = 0

    def spend(self, steps: int) -> None:
        """Spend steps. Raises OverBudget once the total exceeds the budget."""
        self.spent += steps
        if self.spent > self._budget:
            raise OverBudget


_current: ContextVar[StepBudget | None] = ContextVar("effort", default=None)


@contextmanager
def budget(steps: int = EVENT_STEPS) -> Iterator[StepBudget]:
    """Limit the steps spent within the `with` block to `steps`, and yield the budget. Steps in a
    nested block do not count toward the outer budget."""
    effort = StepBudget(steps)
    token = _current.set(effort)
    try:
        yield effort
    finally:
        _current.reset(token)


def spend(steps: int) -> None:
    """Spend steps from the current budget, before the work itself. Does nothing without a budget.
    Raises OverBudget if the budget is exceeded."""
    effort = _current.get()
    if effort is not None:
        effort.spend(steps)
