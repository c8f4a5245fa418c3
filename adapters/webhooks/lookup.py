"""DNS lookups, in threads that no other work uses.

A lookup cannot be cancelled: the operator of the name server determines how long its thread is
blocked. A client therefore has few threads, and no caller waits for a lookup beyond a deadline.
Waiting for a thread is not the name's fault, and does not count towards that deadline.
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
"""Maximum threads of one client, including those of abandoned lookups."""
_ALL_THREADS: Final = 256
"""Maximum threads of all clients. As with the worker's slots, it takes some sixty clients to use
them all."""
_PATIENCE_S: Final = 10.0
"""Timeout of waiting for a thread, in seconds. A blocked thread is free again after the 10 to 20 s
that the system's resolver takes."""
_LATER_S: Final = 5.0

LookUp = Callable[[str], Sequence[str]]
"""Returns a name's addresses as text, in the order of preference. Raises OSError. Runs in a
thread."""


def system_look_up(name: str) -> Sequence[str]:
    """Look up a name with the machine's resolver."""
    found = socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)
    return [str(address[0]) for *_, address in found]


class Names:
    """DNS lookups for many clients. Used by one event loop."""

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
        """Start the lookup that `found` awaits. Concurrent lookups of one name by a client share a
        thread. Raises Deferred if no thread becomes free."""
        try:
            async with asyncio.timeout(self._patience_s):
                return await self._begun(client_id, name)
        except TimeoutError:
            raise Deferred(_LATER_S) from None

    async def found(self, running: "asyncio.Future[Sequence[str]]") -> Sequence[str]:
        """Return at least one address. Raises PostFailed, also at the deadline."""
        try:
            async with asyncio.timeout(self._deadline_s):
                found = await asyncio.shield(running)
        except TimeoutError:
            raise _failed("could not be looked up in time") from None
        if not found:
            raise _failed("was not found")
        return found

    async def _begun(self, client_id: str, name: str) -> asyncio.Future[Sequence[str]]:
        key = (client_id, name)
        mine = self._threads.setdefault(client_id, asyncio.Semaphore(_THREADS))
        if key not in self._running:
            with ExitStack() as taken:
                # Take the client's own thread slot first, so that a client at its limit occupies no
                # shared slot.
                for threads in (mine, self._all_threads):
                    await threads.acquire()
                    taken.callback(threads.release)
                if key not in self._running:  # not started by another task meanwhile
                    self._running[key] = self._begin(name)
                    given_back = taken.pop_all()
                    self._running[key].add_done_callback(lambda _: self._end(key, given_back))
        return self._running[key]

    def _begin(self, name: str) -> asyncio.Future[Sequence[str]]:
        answer: Future[Sequence[str]] = Future()
        # A daemon thread, so that a process can end without waiting for name servers.
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
        # UnicodeError: an invalid host name.
        with suppress(OSError, UnicodeError):
            found = look_up(name)
    finally:
        answer.set_result(found)
