"""Concurrent checks of a process's dependencies: readiness and backlogs."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Final, Generic, TypeVar

import structlog

T = TypeVar("T")

Check = Callable[[], Awaitable[str]]
"""A check of a dependency. It returns "ok", or one word for the problem. Any exception means
"unavailable"."""

OK: Final = "ok"
_READY_WITHIN_S: Final = 2.0
_READY_KEPT_S: Final = 1.0

_log = structlog.get_logger(__name__)


class Questions(Generic[T]):
    """Checks that run concurrently, at most once every `kept_s` seconds. `failed` is the result of
    a check that raises. `late` is the result of a check that takes longer than `within_s`
    seconds."""

    def __init__(
        self,
        questions: Mapping[str, Callable[[], Awaitable[T]]],
        *,
        failed: T,
        late: T,
        within_s: float,
        kept_s: float,
    ) -> None:
        self._questions = questions
        self._failed = failed
        self._late = late
        self._within_s = within_s
        self._kept_s = kept_s
        self._running: dict[str, asyncio.Task[T]] = {}
        self._asking: asyncio.Task[dict[str, T]] | None = None
        self._asked_at = 0.0

    async def answers(self) -> dict[str, T]:
        """Return the result of each check, at most `kept_s` seconds old."""
        if self._asking is None or (
            self._asking.done() and time.monotonic() - self._asked_at > self._kept_s
        ):
            self._asking = asyncio.create_task(self._ask())
        # A caller that disconnects must not stop the check for the other callers.
        return await asyncio.shield(self._asking)

    async def _ask(self) -> dict[str, T]:
        for name, question in self._questions.items():
            # A check must not be started again while it is still running.
            if name not in self._running:
                self._running[name] = asyncio.create_task(self._answer(name, question))
        # Checks are not cancelled at the time limit, because cancelling would interrupt their
        # connections in the middle of an operation.
        await asyncio.wait(self._running.values(), timeout=self._within_s)
        found = {
            name: task.result() if task.done() else self._late
            for name, task in self._running.items()
        }
        self._running = {name: task for name, task in self._running.items() if not task.done()}
        self._asked_at = time.monotonic()
        return found

    async def _answer(self, name: str, question: Callable[[], Awaitable[T]]) -> T:
        try:
            return await question()
        except Exception as error:
            _log.warning("not ready", check=name, cause=type(error).__name__)
            return self._failed

    async def close(self) -> None:
        """Wait up to `within_s` seconds for running checks, then cancel them."""
        if self._running:
            _, hanging = await asyncio.wait(self._running.values(), timeout=self._within_s)
            for task in hanging:
                task.cancel()
            await asyncio.gather(*hanging, return_exceptions=True)


def readiness(checks: Mapping[str, Check]) -> Questions[str]:
    """Return the checks as a group for readiness. The result of a check that exceeds
    `_READY_WITHIN_S` is "timeout". Results are at most `_READY_KEPT_S` old."""
    return Questions(
        checks,
        failed="unavailable",
        late="timeout",
        within_s=_READY_WITHIN_S,
        kept_s=_READY_KEPT_S,
    )
