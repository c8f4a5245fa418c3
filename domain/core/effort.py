"""The effort budget for the text of one event, counted in steps instead of seconds.

A function that examines text first spends one step per character. Untrusted text can therefore
never block an event loop: the work ends with OverBudget, at the same step on every machine.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from domain.core.errors import OverBudget

EVENT_STEPS: Final = 20_000_000
"""Maximum number of steps for one event, for normalizing and thinking together."""


class StepBudget:
    """The number of steps spent from a budget."""

    def __init__(self, budget: int) -> None:
        self._budget = budget
        self.spent = 0

    def spend(self, steps: int) -> None:
        """Add steps to those spent. Raises OverBudget once they exceed the budget."""
        self.spent += steps
        if self.spent > self._budget:
            raise OverBudget


_current: ContextVar[StepBudget | None] = ContextVar("effort", default=None)


@contextmanager
def budget(steps: int = EVENT_STEPS) -> Iterator[StepBudget]:
    """Count the steps spent within the block. A nested block has a separate count."""
    effort = StepBudget(steps)
    token = _current.set(effort)
    try:
        yield effort
    finally:
        _current.reset(token)


def spend(steps: int) -> None:
    """Spend the steps of the next piece of work. Steps are not counted outside a budget."""
    effort = _current.get()
    if effort is not None:
        effort.spend(steps)
