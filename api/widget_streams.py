"""Open streams of widget sessions: their limits, notifications and shutdown.

At the process's limit, a new stream ends a stream of the client or network that has the most
streams. If the new stream belongs to that client or network, it is rejected.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Final

from domain.core.errors import CallerBusy, ServerBusy
from services.core.fair_room import FairRoom
from store.core.client_turns import ClientTurns

A_SESSION: Final = 3
AN_ADDRESS: Final = 20
A_NETWORK: Final = 100
"""Maximum number of streams from one /24 or /48 network, across all clients. The limit applies per
network because a single caller may control all addresses in a network."""

A_CLIENT: Final = 300
A_FREE_CLIENT: Final = 50
"""Maximum number of streams for one client without a paid plan."""

A_PROCESS: Final = 1_000
"""Maximum number of streams in a process. It is lower than the edge's connection limit, so that
connections remain available for the rest of the API."""

ALL_FREE: Final = A_PROCESS // 2
"""Maximum number of streams for all clients without a paid plan. The remaining streams are reserved
for paying clients."""

SILENCE_S: Final = 15.0
"""Seconds without a notification after which a stream reads the session and sends a heartbeat."""

LASTS_S: Final = 15 * 60.0

# Maximum number of streams that read at the same time, in total and per client. More concurrent
# reads would leave too few database connections for requests.
_READING: Final = 3
_READING_OF_A_CLIENT: Final = 2

# A stream increments these counters. Each entry contains the counter, the stream's key in the
# counter, and the limit per key.
_Counts = tuple[tuple[Counter[str], str, int], ...]


class StreamPlace:
    """The slot of one open stream. `is_given_up` means that another stream has taken it over."""

    def __init__(self, lasts_s: float) -> None:
        self.is_given_up = False
        self._news = asyncio.Event()
        self._ends_at = time.monotonic() + lasts_s

    @property
    def is_over(self) -> bool:
        return time.monotonic() >= self._ends_at

    def wake(self) -> None:
        self._news.set()

    def end(self) -> None:
        """End the stream after it has sent its pending messages."""
        self._ends_at = 0
        self._news.set()

    def give_up(self) -> None:
        """End the stream without reading the session again."""
        self.is_given_up = True
        self.end()

    async def news(self, seconds: float) -> bool:
        """Wait for a notification. Return False if none arrives within `seconds`."""
        try:
            async with asyncio.timeout(seconds):
                await self._news.wait()
        except TimeoutError:
            return False
        self._news.clear()
        return True


class WidgetStreams:
    """The open streams of this process, for use on a single event loop. `silence_s` and `lasts_s`
    override SILENCE_S and LASTS_S, in seconds."""

    def __init__(self, *, silence_s: float = SILENCE_S, lasts_s: float = LASTS_S) -> None:
        self.silence_s = silence_s
        self.lasts_s = lasts_s
        self.reading = ClientTurns(_READING, _READING_OF_A_CLIENT)
        self._room = _room(A_PROCESS)
        self._free_room = _room(ALL_FREE)
        self._places: dict[str, set[StreamPlace]] = {}
        self._addresses: Counter[str] = Counter()
        self._networks: Counter[str] = Counter()
        self._clients: Counter[str] = Counter()
        self._ending = False

    @property
    def open(self) -> int:
        return self._addresses.total()

    @contextmanager
    def place(
        self, session: str, address: str, network: str, *, pays: bool
    ) -> Iterator[StreamPlace]:
        """Hold a stream's slot while the block runs.

        `session` is `client_id/session_id`. `network` is the network of the address. `pays` means
        that the client has a paid plan. Raises CallerBusy for too many streams of the session,
        address, network or client, and ServerBusy for too many streams of the process.
        """
        client = session.partition("/")[0]
        counts: _Counts = (
            (self._addresses, address, AN_ADDRESS),
            (self._networks, network, A_NETWORK),
            (self._clients, client, A_CLIENT if pays else A_FREE_CLIENT),
        )
        self._check_limits(session, counts)
        place = StreamPlace(self.lasts_s)
        if self._ending:
            place.end()
        with ExitStack() as held:
            for room in [self._room] if pays else [self._free_room, self._room]:
                _take_room(room, held, place, client, network)
            self._places.setdefault(session, set()).add(place)
            for counted, one, _ in counts:
                counted[one] += 1
            try:
                yield place
            finally:
                self._leave(session, counts, place)

    def wake(self, session: str | None) -> None:
        """Make a session's streams read the session again. If `session` is None, wake all
        streams."""
        woken = [session] if session is not None else list(self._places)
        for one in woken:
            for place in self._places.get(one, ()):
                place.wake()

    def end(self) -> None:
        """End all streams, including streams that are opened later, once their pending messages are
        sent. Readers reconnect to another process."""
        self._ending = True
        for places in self._places.values():
            for place in places:
                place.end()

    def _check_limits(self, session: str, counts: _Counts) -> None:
        if len(self._places.get(session, ())) >= A_SESSION:
            raise CallerBusy
        if any(counted[one] >= at_most for counted, one, at_most in counts):
            raise CallerBusy

    def _leave(self, session: str, counts: _Counts, place: StreamPlace) -> None:
        self._places[session].discard(place)
        if not self._places[session]:
            del self._places[session]
        for counted, one, _ in counts:
            counted[one] -= 1
            if not counted[one]:
                del counted[one]


def _room(in_all: int) -> FairRoom:
    """Return a limiter for the total number of streams. `place` checks the limits per session,
    address, network and client."""
    return FairRoom(in_all=in_all, of_one=in_all, leaves_half=False, refusal=ServerBusy)


def _take_room(room: FairRoom, held: ExitStack, place: StreamPlace, *keys: str) -> None:
    def give_way() -> None:
        held.close()  # This call also frees the slot in the other limiter.
        place.give_up()

    share = held.enter_context(room.place(*keys))
    share.grow(1)
    share.may_give_way(give_way)
