"""Whether a request would be served: the database, Temporal and the workers, asked together."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Final

import structlog

Check = Callable[[], Awaitable[str]]
"""Returns "ok", or one word for what is missing. Whatever it raises means "unavailable"."""

OK: Final = "ok"
_TIMEOUT_S: Final = 2.0
_KEPT_S: Final = 1.0

_log = structlog.get_logger(__name__)


class Readiness:
    """Asks at most once a second, however often it is asked itself."""

    def __init__(self, checks: Mapping[str, Check]) -> None:
        self._checks = checks
        self._running: dict[str, asyncio.Task[str]] = {}
        self._asking: asyncio.Task[dict[str, str]] | None = None
        self._asked_at = 0.0

    async def findings(self) -> dict[str, str]:
        """The word of each check, at most a second old."""
        if self._asking is None or (
            self._asking.done() and time.monotonic() - self._asked_at > _KEPT_S
        ):
            self._asking = asyncio.create_task(self._ask())
        # One caller that goes away must not end it for the others.
        return await asyncio.shield(self._asking)

    async def _ask(self) -> dict[str, str]:
        for name, check in self._checks.items():
            # One that has not come back is not asked a second time.
            if name not in self._running:
                self._running[name] = asyncio.create_task(_word_of(name, check))
        # Not cancelled when the time is over: a connection must not be left in the middle.
        await asyncio.wait(self._running.values(), timeout=_TIMEOUT_S)
        found = {
            name: task.result() if task.done() else "timeout"
            for name, task in self._running.items()
        }
        self._running = {name: task for name, task in self._running.items() if not task.done()}
        self._asked_at = time.monotonic()
        return found

    async def close(self) -> None:
        """Wait a moment for what is still being asked; then nobody needs the answer."""
        if self._running:
            _, hanging = await asyncio.wait(self._running.values(), timeout=_TIMEOUT_S)
            for task in hanging:
                task.cancel()
            await asyncio.gather(*hanging, return_exceptions=True)


async def _word_of(name: str, check: Check) -> str:
    try:
        return await check()
    except Exception as error:
        _log.warning("not ready", check=name, cause=type(error).__name__)
        return "unavailable"
