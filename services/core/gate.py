"""A gate admits one caller per key at a time in this process, while the others wait.

The lock in PostgreSQL remains authoritative, but waiting for it occupies a connection. Waiting at
the gate occupies no connection, so a flood on one key cannot use up the pool.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager
from typing import Final, Generic, TypeVar
from weakref import WeakValueDictionary

from domain.core.errors import CallerBusy, EngineUnavailable
from services.core.concurrent_callers import ConcurrentCallers

K = TypeVar("K", bound=Hashable)

# The maximum exceeds a client's hourly message limit, so the gate never rejects a caller that the
# limit would admit.
_MOST_OF_ONE: Final = 256


class _Turns:
    """One key's lock. `failed`: True if the lock's last holder found the database unavailable."""

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.failed = False


class Gate(Generic[K]):
    """A gate that admits a key's callers one at a time, in order of arrival."""

    def __init__(
        self, *, patience_s: float, at_most: int = _MOST_OF_ONE, turn_s: float = 0
    ) -> None:
        """Create a gate. `patience_s` is the maximum wait in seconds. `at_most` limits the running
        and waiting callers of one key.

        `turn_s` is the minimum length of a turn in seconds while others with the same key wait. It
        limits the share of the process's time for one key.
        """
        self._patience_s = patience_s
        self._turn_s = turn_s
        self._waiting: Counter[K] = Counter()
        self._callers: ConcurrentCallers[K] = ConcurrentCallers(at_most=at_most)
        self._turns: WeakValueDictionary[K, _Turns] = WeakValueDictionary()

    @asynccontextmanager
    async def enter(self, key: K) -> AsyncIterator[None]:
        """Wait for the key's turn, and keep it while the block runs.

        Raises CallerBusy after a timeout or with too many waiting callers. If the previous caller
        found the database unavailable, a timeout raises EngineUnavailable instead.
        """
        turns = self._turns.setdefault(key, _Turns())
        with self._callers.join(key):
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
                    # The caller continues immediately, but the lock is released only at the end of
                    # the turn.
                    loop.call_at(ends, turns.lock.release)
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
