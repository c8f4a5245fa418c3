"""How much work one event's text may cost, counted in steps and not in seconds.

A function that looks at text spends as many steps as it looks at characters, before it does. What
strangers wrote can so never hold an event loop: the work ends with OverBudget, the same on every
machine.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from domain.core.errors import OverBudget

EVENT_STEPS: Final = 20_000_000
"""What one event may cost altogether, normalizing and thinking."""


class StepBudget:
    """Steps spent of a budget."""

    def __init__(self, budget: int) -> None:
        self._budget = budget
        self.spent = 0

    def spend(self, steps: int) -> None:
        """Raises OverBudget once more is spent than there was."""
        self.spent += steps
        if self.spent > self._budget:
            raise OverBudget


_current: ContextVar[StepBudget | None] = ContextVar("effort", default=None)


@contextmanager
def budget(steps: int = EVENT_STEPS) -> Iterator[StepBudget]:
    """What is spent within the block counts together. A block inside another counts for itself."""
    effort = StepBudget(steps)
    token = _current.set(effort)
    try:
        yield effort
    finally:
        _current.reset(token)


def spend(steps: int) -> None:
    """Say how much the next piece of work costs. Outside of any budget nothing is counted."""
    effort = _current.get()
    if effort is not None:
        effort.spend(steps)
