"""Open streams of widget sessions: their limits, their wake-ups and their end."""

import asyncio
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from domain.core.errors import CallerBusy, ServerBusy

A_SESSION: Final = 3
AN_ADDRESS: Final = 20
A_CLIENT: Final = 300
A_PROCESS: Final = 1_000
"""Fewer than the edge's connections, so that the rest of the API keeps some."""

SILENCE_S: Final = 15.0
"""After this long without news, a stream reads the session and sends a heartbeat."""

LASTS_S: Final = 15 * 60.0

# Maximum number of streams that read at the same time. More would take database connections from
# requests.
_READING: Final = 3


class StreamPlace:
    """One open stream."""

    def __init__(self, lasts_s: float) -> None:
        self._news = asyncio.Event()
        self._ends_at = time.monotonic() + lasts_s

    @property
    def is_over(self) -> bool:
        return time.monotonic() >= self._ends_at

    def wake(self) -> None:
        self._news.set()

    def end(self) -> None:
        """Let the stream send what is pending, then end."""
        self._ends_at = 0
        self._news.set()

    async def news(self, seconds: float) -> bool:
        """Wait for news. Return False if none arrive within the time."""
        try:
            async with asyncio.timeout(seconds):
                await self._news.wait()
        except TimeoutError:
            return False
        self._news.clear()
        return True


class WidgetStreams:
    """The streams of this process, used by one event loop. `silence_s`, `lasts_s`: override
    SILENCE_S and LASTS_S."""

    def __init__(self, *, silence_s: float = SILENCE_S, lasts_s: float = LASTS_S) -> None:
        self.silence_s = silence_s
        self.lasts_s = lasts_s
        self.reading = asyncio.Semaphore(_READING)
        self._places: dict[str, set[StreamPlace]] = {}
        self._addresses: Counter[str] = Counter()
        self._clients: Counter[str] = Counter()
        self._ending = False

    @property
    def open(self) -> int:
        return self._addresses.total()

    @contextmanager
    def place(self, session: str, address: str) -> Iterator[StreamPlace]:
        """Hold a stream's slot while the block runs.

        `session`: `client_id/session_id`. Raises CallerBusy if the session, the address or the
        client has too many streams, ServerBusy if the process has.
        """
        self._check_room(session, address)
        place = StreamPlace(self.lasts_s)
        if self._ending:
            place.end()
        self._places.setdefault(session, set()).add(place)
        self._addresses[address] += 1
        self._clients[_client_of(session)] += 1
        try:
            yield place
        finally:
            self._leave(session, address, place)

    def wake(self, session: str | None) -> None:
        """Make the session's streams read again, or all streams if `session` is None."""
        woken = [session] if session is not None else list(self._places)
        for one in woken:
            for place in self._places.get(one, ()):
                place.wake()

    def end(self) -> None:
        """End all streams after they have sent what is pending, including streams opened later.
        Their readers reconnect to another process."""
        self._ending = True
        for places in self._places.values():
            for place in places:
                place.end()

    def _check_room(self, session: str, address: str) -> None:
        is_full = (
            len(self._places.get(session, ())) >= A_SESSION
            or self._addresses[address] >= AN_ADDRESS
            or self._clients[_client_of(session)] >= A_CLIENT
        )
        if is_full:
            raise CallerBusy
        if self.open >= A_PROCESS:
            raise ServerBusy

    def _leave(self, session: str, address: str, place: StreamPlace) -> None:
        self._places[session].discard(place)
        if not self._places[session]:
            del self._places[session]
        for counted, one in ((self._addresses, address), (self._clients, _client_of(session))):
            counted[one] -= 1
            if not counted[one]:
                del counted[one]


def _client_of(session: str) -> str:
    return session.partition("/")[0]
