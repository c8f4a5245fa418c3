"""DNS lookups, in dedicated threads.

A lookup cannot be cancelled, and the name server's operator determines how long it blocks its
thread. Each client has few threads, and callers wait until a deadline, without the wait for a free
thread.
"""

import asyncio
import socket
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, suppress
from typing import Final
from weakref import WeakValueDictionary

from adapters.webhooks.failures import PostFailed
from domain.webhooks.delivery import FailureKind
from domain.webhooks.errors import Deferred

LOOKUP_S: Final = 3.0
"""DNS lookup timeout, in seconds."""
_THREADS: Final = 4
"""Maximum number of lookup threads per client, including those for abandoned lookups."""
_ALL_THREADS: Final = 256
"""Maximum number of lookup threads for all clients together. About sixty clients at their limits
would use all of the threads, and all of the worker's slots."""
_PATIENCE_S: Final = 10.0
"""Maximum wait for a free thread, in seconds. A blocked thread becomes free because the system's
resolver ends a lookup after 10 to 20 s."""
_LATER_S: Final = 5.0

LookUp = Callable[[str], Sequence[str]]
"""A blocking function that returns the addresses of a host name as text, in order of preference.
Raises OSError if the lookup fails."""


def system_look_up(name: str) -> Sequence[str]:
    """Return the addresses of a host name, as resolved by the machine's resolver. Raises OSError if
    the lookup fails."""
    found = socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)
    return [str(address[0]) for *_, address in found]


class Names:
    """DNS lookups for many clients. An instance belongs to one event loop."""

    def __init__(
        self,
        look_up: LookUp,
        deadline_s: float,
        *,
        threads: int = _ALL_THREADS,
        patience_s: float = _PATIENCE_S,
    ) -> None:
        self._look_up = look_up
        self._deadline_s = deadline_s
        self._patience_s = patience_s
        self._running: dict[tuple[str, str], asyncio.Future[Sequence[str]]] = {}
        self._all_threads = asyncio.Semaphore(threads)
        self._threads: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()

    async def begin(self, client_id: str, name: str) -> "asyncio.Future[Sequence[str]]":
        """Start a DNS lookup, and return the future to pass to `found`. A client's concurrent
        lookups of a name share a thread. Raises Deferred if no thread becomes free."""
        try:
            async with asyncio.timeout(self._patience_s):
                return await self._lookup(client_id, name)
        except TimeoutError:
            raise Deferred(_LATER_S) from None

    async def found(self, running: "asyncio.Future[Sequence[str]]") -> Sequence[str]:
        """Wait for a DNS lookup that has been started, and return at least one address. Raises
        PostFailed if the lookup finds none or exceeds its deadline."""
        try:
            async with asyncio.timeout(self._deadline_s):
                found = await asyncio.shield(running)
        except TimeoutError:
            raise _failed("could not be looked up in time") from None
        if not found:
            raise _failed("was not found")
        return found

    async def _lookup(self, client_id: str, name: str) -> asyncio.Future[Sequence[str]]:
        key = (client_id, name)
        mine = self._threads.setdefault(client_id, asyncio.Semaphore(_THREADS))
        if key not in self._running:
            with ExitStack() as taken:
                # Acquire one of the client's slots first, so that a client at its limit does not
                # occupy a shared slot.
                for threads in (mine, self._all_threads):
                    await threads.acquire()
                    taken.callback(threads.release)
                if key not in self._running:  # No other task has started the lookup.
                    self._running[key] = self._begin(name)
                    given_back = taken.pop_all()
                    self._running[key].add_done_callback(lambda _: self._end(key, given_back))
        return self._running[key]

    def _begin(self, name: str) -> asyncio.Future[Sequence[str]]:
        answer: Future[Sequence[str]] = Future()
        # The thread is a daemon thread, so that the process can exit without waiting for name
        # servers.
        threading.Thread(target=_run, args=(self._look_up, name, answer), daemon=True).start()
        return asyncio.wrap_future(answer)

    def _end(self, key: tuple[str, str], threads: ExitStack) -> None:
        del self._running[key]
        threads.close()


def _failed(what: str) -> PostFailed:
    return PostFailed(FailureKind.DNS, f"the host's name {what}")


def _run(look_up: LookUp, name: str, answer: Future[Sequence[str]]) -> None:
    found: Sequence[str] = ()
    try:
        # UnicodeError means an invalid host name.
        with suppress(OSError, UnicodeError):
            found = look_up(name)
    finally:
        answer.set_result(found)
