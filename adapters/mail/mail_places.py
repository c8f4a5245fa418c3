"""The connection slots to clients' own mail servers, shared by all clients.

Clients with the fewest slots come first, then those with fewer slow servers. A connection that has
not logged in yet is closed if a client with fewer slots needs its slot. Nothing has been sent on
it.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Final

from domain.integrations.errors import MailServersBusy

ALL_AT_ONCE: Final = 32
"""Maximum number of concurrent connections for all clients: a third of a worker's concurrency, so
that other work continues."""
OF_ONE: Final = 4
"""Maximum number of concurrent connections per client. A client with a slow server has one."""
OF_SLOW: Final = 8
"""Maximum number of concurrent connections for all clients with slow servers."""
_WAITING: Final = 16
"""Maximum number of waiting emails. Each of them occupies part of the worker's concurrency."""
_PATIENCE_S: Final = 4.0
"""Maximum wait for a slot, in seconds, so that unresponsive servers are known by then. If an email
gets no slot, Temporal retries it."""
_ENTERED_AFTER_S: Final = 3.0
"""Seconds from the DNS lookup to the login. A server that takes longer is slow."""
_SLOW_FOR_S: Final = 300.0
"""Seconds for which a server is treated as slow, unless it accepts an email promptly before."""
_MOST_SLOW: Final = 10_000
"""Maximum number of remembered clients with slow servers."""


class MailPlace:
    """The slot of one email, or the email's wait for a slot. `is_prompt` is False after a slow
    login. `is_lost` is True after another client has taken over the slot."""

    def __init__(self, client_id: str) -> None:
        self.client_id = client_id
        self.is_prompt = True
        self.is_lost = False
        self.granted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.give_way: Callable[[], None] | None = None


@dataclass(slots=True)
class _Slowness:
    """How often a client's server was slow, and until when it is treated as slow."""

    times: int = 0
    until: float = 0.0


class MailPlaces:
    """The slots of one worker. An instance belongs to one event loop."""

    def __init__(
        self,
        *,
        patience_s: float = _PATIENCE_S,
        entered_after_s: float = _ENTERED_AFTER_S,
        slow_for_s: float = _SLOW_FOR_S,
    ) -> None:
        self._patience_s = patience_s
        self._entered_after_s = entered_after_s
        self._slow_for_s = slow_for_s
        # Both are ordered by arrival.
        self._held: list[MailPlace] = []
        self._waiting: list[MailPlace] = []
        self._slow: dict[str, _Slowness] = {}

    @asynccontextmanager
    async def place(self, client_id: str) -> AsyncIterator[MailPlace]:
        """Wait for a slot, and hold it while the block runs. Raises MailServersBusy."""
        place = MailPlace(client_id)
        self._join(place)
        try:
            await self._granted(place)
            yield place
        finally:
            self._leave(place)

    @contextmanager
    def entering(self, place: MailPlace, give_way: Callable[[], None]) -> Iterator[None]:
        """While the block connects and logs in, allow clients with fewer slots to take over the
        slot. `give_way` is called once, on the takeover. Raises MailServersBusy."""

        def late() -> None:
            place.is_prompt = False
            self.note_slow(place.client_id)

        timer = asyncio.get_running_loop().call_later(self._entered_after_s, late)
        place.give_way = give_way
        try:
            yield
        finally:
            timer.cancel()
            place.give_way = None
        if place.is_lost:
            raise MailServersBusy

    def note_slow(self, client_id: str) -> None:
        """Record that the client's server was slow just now."""
        slowness = self._slow.pop(client_id, None) or _Slowness()
        if len(self._slow) >= _MOST_SLOW:
            del self._slow[next(iter(self._slow))]
        slowness.times += 1
        slowness.until = asyncio.get_running_loop().time() + self._slow_for_s
        self._slow[client_id] = slowness
        self._assign()

    def note_prompt(self, client_id: str) -> None:
        """Record that the client's server accepted an email promptly just now."""
        self._slow.pop(client_id, None)
        self._assign()

    def _join(self, place: MailPlace) -> None:
        """Add the email to the waiting emails. If there are too many, the client with the most
        emails loses its newest waiting email."""
        self._waiting.append(place)
        self._assign()
        waiting = [one for one in self._waiting if not one.granted.done()]
        if len(waiting) <= _WAITING:
            return
        present = Counter(one.client_id for one in (*self._held, *waiting))

        def load(one: MailPlace) -> tuple[int, int]:
            return self._times_slow(one.client_id), present[one.client_id]

        refused = max(reversed(waiting), key=load)
        self._waiting.remove(refused)
        refused.granted.set_exception(MailServersBusy())

    async def _granted(self, place: MailPlace) -> None:
        try:
            async with asyncio.timeout(self._patience_s):
                await place.granted
        except TimeoutError:
            raise MailServersBusy from None

    def _leave(self, place: MailPlace) -> None:
        for places in (self._waiting, self._held):
            if place in places:
                places.remove(place)
        self._assign()

    def _assign(self) -> None:
        """Assign slots to waiting emails as long as one of them may have a slot."""
        while (place := next(filter(self._finds_room, self._in_order()), None)) is not None:
            self._waiting.remove(place)
            self._held.append(place)
            place.granted.set_result(None)

    def _in_order(self) -> list[MailPlace]:
        return sorted(
            (one for one in self._waiting if not one.granted.done()),
            key=lambda one: self._load(one.client_id),
        )

    def _finds_room(self, place: MailPlace) -> bool:
        """Return whether the email may have a slot now. If necessary, the client with the most
        slots loses one."""
        times_slow, held = self._load(place.client_id)
        if held >= (1 if times_slow else OF_ONE):
            return False
        among = self._held
        if len(among) < ALL_AT_ONCE:
            if not times_slow:
                return True
            among = [one for one in self._held if self._times_slow(one.client_id)]
            if len(among) < OF_SLOW:
                return True
        yielding = (one for one in among if one.give_way is not None)
        largest = max(yielding, key=lambda one: self._load(one.client_id), default=None)
        if largest is None or self._load(largest.client_id) <= (times_slow, held + 1):
            return False
        self._take_away(largest)
        return True

    def _take_away(self, place: MailPlace) -> None:
        give_way, place.give_way = place.give_way, None
        place.is_lost = True
        self._held.remove(place)
        if give_way is not None:
            give_way()

    def _load(self, client_id: str) -> tuple[int, int]:
        held = sum(one.client_id == client_id for one in self._held)
        return self._times_slow(client_id), held

    def _times_slow(self, client_id: str) -> int:
        slowness = self._slow.get(client_id)
        if slowness is None:
            return 0
        if asyncio.get_running_loop().time() < slowness.until:
            return slowness.times
        del self._slow[client_id]
        return 0
