"""Looking names up, in threads that no other work waits for.

A look-up cannot be stopped: whoever runs the name's servers decides how long its thread is taken.
So a client has a few threads and no more, and nobody waits for one beyond a deadline. The wait for
a thread is no fault of the name, and counts for nothing.
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
"""How long a name may take."""
_THREADS: Final = 4
"""Of one client, those of look-ups that nobody waits for any longer included."""
_ALL_THREADS: Final = 256
"""Of all clients. As with the worker's slots, it takes some sixty clients to have them all."""
_PATIENCE_S: Final = 10.0
"""For a thread. One that hangs is free again after the 10 to 20 s that the system's resolver
takes."""
_LATER_S: Final = 5.0

LookUp = Callable[[str], Sequence[str]]
"""A name's addresses as text, in the order to try them. Raises OSError. Runs in a thread."""


def system_look_up(name: str) -> Sequence[str]:
    """As this machine is configured to."""
    found = socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)
    return [str(address[0]) for *_, address in found]


class Names:
    """Look-ups for many clients. Used by one event loop."""

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
        """The look-up, which runs from now on, for `found`. What a client wants to know several
        times at once is looked up once. Raises Deferred if no thread becomes free."""
        try:
            async with asyncio.timeout(self._patience_s):
                return await self._begun(client_id, name)
        except TimeoutError:
            raise Deferred(_LATER_S) from None

    async def found(self, running: "asyncio.Future[Sequence[str]]") -> Sequence[str]:
        """At least one address. Raises PostFailed, at the deadline too."""
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
                # Its own first: a client that has its share takes no place in the line of all.
                for threads in (mine, self._all_threads):
                    await threads.acquire()
                    taken.callback(threads.release)
                if key not in self._running:  # not begun by another meanwhile
                    self._running[key] = self._begin(name)
                    given_back = taken.pop_all()
                    self._running[key].add_done_callback(lambda _: self._end(key, given_back))
        return self._running[key]

    def _begin(self, name: str) -> asyncio.Future[Sequence[str]]:
        answer: Future[Sequence[str]] = Future()
        # A daemon: a process that ends does not wait for other people's name servers.
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
        # UnicodeError: what a name may not look like.
        with suppress(OSError, UnicodeError):
            found = look_up(name)
    finally:
        answer.set_result(found)
