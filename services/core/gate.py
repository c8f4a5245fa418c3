"""Gates: in this process, one at a time for each key, and the others wait outside.

A lock in PostgreSQL decides; whoever waits for it there holds a connection of the pool meanwhile,
and a flood of one key would hold them all. At the gate it holds none.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager
from typing import Final, Generic, TypeVar
from weakref import WeakValueDictionary

from domain.core.errors import CallerBusy, EngineUnavailable
from services.core.crowd import Crowd

K = TypeVar("K", bound=Hashable)

# More than a client's messages an hour, so that at an empty limit nobody is sent away who would
# have got in.
_MOST_OF_ONE: Final = 256


class _Turns:
    """`failed`: the last one inside found the database away."""

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.failed = False


class Gate(Generic[K]):
    def __init__(
        self, *, patience_s: float, at_most: int = _MOST_OF_ONE, turn_s: float = 0
    ) -> None:
        """`at_most`: of one key, inside and waiting together. `turn_s`: how long a turn lasts at
        least while others of its key wait, in seconds; a crowd takes no more of the process than
        that leaves it."""
        self._patience_s = patience_s
        self._turn_s = turn_s
        self._waiting: Counter[K] = Counter()
        self._crowd: Crowd[K] = Crowd(at_most=at_most)
        self._turns: WeakValueDictionary[K, _Turns] = WeakValueDictionary()

    @asynccontextmanager
    async def enter(self, key: K) -> AsyncIterator[None]:
        """Wait for the key's turn.

        Raises CallerBusy where too many wait, or the patience is over; EngineUnavailable where it
        is over because the database was away for those before.
        """
        turns = self._turns.setdefault(key, _Turns())
        with self._crowd.join(key):
            await self._wait(key, turns)
            loop = asyncio.get_running_loop()
            ends = loop.time() + self._turn_s
            try:
                yield
                turns.failed = False
            except EngineUnavailable:
                turns.failed = True
                raise
            finally:
                if self._waiting[key] and self._turn_s:
                    loop.call_at(ends, turns.lock.release)  # the caller inside goes on at once
                else:
                    turns.lock.release()

    async def _wait(self, key: K, turns: _Turns) -> None:
        self._waiting[key] += 1
        try:
            async with asyncio.timeout(self._patience_s):
                await turns.lock.acquire()
        except TimeoutError:
            if turns.failed:
                raise EngineUnavailable("those before found the database away") from None
            raise CallerBusy from None
        finally:
            self._waiting[key] -= 1
            if not self._waiting[key]:
                del self._waiting[key]
