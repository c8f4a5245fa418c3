"""The effort budget of one event's text, counted in steps and not in seconds.

A function that examines text first spends one step per character. Untrusted text can therefore
never block an event loop: the work ends with OverBudget, the same on every machine.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from domain.core.errors import OverBudget

EVENT_STEPS: Final = 20_000_000
"""The maximum steps of one event, for normalizing and thinking together."""


class StepBudget:
    """The steps spent of a budget."""

    def __init__(self, budget: int) -> None:
        self._budget = budget
        self.spent = 0

    def spend(self, steps: int) -> None:
        """Add to the spent steps. Raises OverBudget once they exceed the budget."""
        self.spent += steps
        if self.spent > self._budget:
            raise OverBudget


_current: ContextVar[StepBudget | None] = ContextVar("effort", default=None)


@contextmanager
def budget(steps: int = EVENT_STEPS) -> Iterator[StepBudget]:
    """Count the steps spent within the block. A nested block has its own count."""
    effort = StepBudget(steps)
    token = _current.set(effort)
    try:
        yield effort
    finally:
        _current.reset(token)


def spend(steps: int) -> None:
    """Spend the steps of the next piece of work. Without a current budget nothing is counted."""
    effort = _current.get()
    if effort is not None:
        effort.spend(steps)
