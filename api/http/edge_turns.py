"""Divide the event loop among the addresses that send requests to this process."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count
from time import perf_counter
from typing import Final

# The maximum number of an address's waiting steps that are woken in one pass. A woken step that
# finds the turn used up waits again, so the number only limits the wasted wake-ups.
_WOKEN: Final = 16
# The number of addresses with unused turns that are remembered.
_MOST_LINES: Final = 1_000


@dataclass(slots=True)
class _Line:
    """The steps of one address.

    - `used_s`: the seconds used of this turn.
    - `woken`: the number of woken steps that have not started.
    - `waiting`: the waiting steps, by ticket.
    """

    used_s: float = 0.0
    woken: int = 0
    waiting: list[tuple[int, asyncio.Future[None]]] = field(default_factory=list)


class EdgeTurns:
    """Turns of the event loop, for the steps of requests. A step is the work of a request between
    two of its waits.

    The steps of one address start within `turn_s` seconds. Further steps wait for the next pass of
    the loop, in order of arrival, so that other addresses come in between. Without other work, the
    next pass follows at once. No request is rejected, and a request that waits for
    something else uses no turn.
    """

    def __init__(self, turn_s: float, *, clock: Callable[[], float] = perf_counter) -> None:
        self._turn_s = turn_s
        self.clock = clock
        self._lines: dict[str, _Line] = {}
        self._tickets = count()
        self._is_scheduled = False

    def may_start(self, address: str) -> bool:
        """Return True if a step of the address can start in this pass."""
        line = self._lines.get(address)
        if line is None:
            return True
        return not line.waiting and not line.woken and line.used_s < self._turn_s

    async def wait(self, address: str) -> None:
        """Wait until a step of the address can start."""
        ticket = next(self._tickets)
        while True:
            woken = asyncio.get_running_loop().create_future()
            heappush(self._line(address).waiting, (ticket, woken))
            self._schedule()
            await woken
            line = self._line(address)
            line.woken -= 1
            if line.used_s < self._turn_s:
                return

    def spend(self, address: str, used_s: float) -> None:
        """Count the seconds of a step toward the address's turn."""
        line = self._line(address)
        line.used_s += used_s
        if line.used_s >= self._turn_s or len(self._lines) > _MOST_LINES:
            self._schedule()

    def _schedule(self) -> None:
        if not self._is_scheduled:
            self._is_scheduled = True
            asyncio.get_running_loop().call_soon(self._next_pass)

    def _line(self, address: str) -> _Line:
        line = self._lines.get(address)
        if line is None:
            line = self._lines[address] = _Line()
        return line

    def _next_pass(self) -> None:
        """Start a new turn for each address, and wake the first of its waiting steps."""
        kept = {}
        for address, line in self._lines.items():
            if line.waiting:
                kept[address] = line
                line.used_s = 0.0
                _wake(line)
        self._lines = kept
        # Called last, so that the woken steps run before the next pass begins.
        self._is_scheduled = bool(kept)
        if kept:
            asyncio.get_running_loop().call_soon(self._next_pass)


def _wake(line: _Line) -> None:
    line.woken = 0
    while line.waiting and line.woken < _WOKEN:
        _, future = heappop(line.waiting)
        # The future of a cancelled request is done.
        if not future.done():
            future.set_result(None)
            line.woken += 1
