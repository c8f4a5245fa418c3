"""A limit on the work spent on one event's text, counted in steps instead of seconds.

Before a function examines a text, it spends one step per character. Untrusted text can therefore
never block an event loop: the work stops with OverBudget, at the same step on every machine.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from domain.core.errors import OverBudget

EVENT_STEPS: Final = 20_000_000
"""Maximum number of steps for one event: normalizing and drafting an answer share the limit."""


class StepBudget:
    """A step limit and the number of steps spent so far."""

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
    """Limit the steps spent within the `with` block to `steps`, and yield the budget. The steps of
    a nested block do not count in the outer one."""
    effort = StepBudget(steps)
    token = _current.set(effort)
    try:
        yield effort
    finally:
        _current.reset(token)


def spend(steps: int) -> None:
    """Spend steps from the current budget, before the work itself. Raises OverBudget. Without a
    budget, the call does nothing."""
    effort = _current.get()
    if effort is not None:
        effort.spend(steps)
