"""Progress of a long-running command: a progress bar on a terminal, periodic lines elsewhere.
Progress is written to standard error, so that standard output contains only the command's result.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, Protocol

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from commands.core.context import err

LINE_EVERY_S: Final = 5.0
"""Seconds between progress lines if the output is not a terminal. Frequent lines would fill stored
logs."""


class Bar(Protocol):
    """A progress display for a command."""

    def advance(self, n: int = 1) -> None:
        """Add `n` completed steps, in the unit of the total."""

    def reach(self, done: int) -> None:
        """Set the number of completed steps. A number below the previous number is ignored."""


@contextmanager
def progress(
    label: str,
    total: int | None,
    *,
    console: Console = err,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[Bar]:
    """Show the progress of the block, of `total` steps if known. Outside a terminal, only a final
    line states the result."""
    if console.is_terminal:
        with Progress(*_columns(total), console=console) as shown:
            yield _Shown(shown, label, total)
        return
    lines = _Lines(label, total, console, clock)
    try:
        yield lines
    except BaseException:
        lines.say("stopped at")
        raise
    lines.say("done,")


def _columns(total: int | None) -> tuple[ProgressColumn, ...]:
    label = TextColumn("{task.description}")
    if total is None:
        return label, MofNCompleteColumn(), TimeElapsedColumn()
    return label, BarColumn(), TaskProgressColumn(), TimeRemainingColumn()


class _Shown:
    def __init__(self, shown: Progress, label: str, total: int | None) -> None:
        self._shown = shown
        self._task = shown.add_task(label, total=total)
        self._done = 0

    def advance(self, n: int = 1) -> None:
        self.reach(self._done + n)

    def reach(self, done: int) -> None:
        self._done = max(self._done, done)
        self._shown.update(self._task, completed=self._done)


class _Lines:
    def __init__(
        self, label: str, total: int | None, console: Console, clock: Callable[[], float]
    ) -> None:
        self._label = label
        self._total = total
        self._console = console
        self._clock = clock
        self._next = clock() + LINE_EVERY_S
        self._done = 0

    def advance(self, n: int = 1) -> None:
        self.reach(self._done + n)

    def reach(self, done: int) -> None:
        self._done = max(self._done, done)
        if self._clock() >= self._next:
            self._next = self._clock() + LINE_EVERY_S
            self.say("at")

    def say(self, what: str) -> None:
        if self._total is None:
            far = str(self._done)
        else:
            # Round down, so that incomplete progress never shows 100 %.
            far = f"{100 * self._done // self._total if self._total else 100} %"
        self._console.print(
            f"{self._label}: {what} {far}", markup=False, highlight=False, soft_wrap=True
        )
