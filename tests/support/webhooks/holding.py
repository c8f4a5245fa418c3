"""A receiver's rule that delays responses until a test releases them."""

import threading
from collections.abc import Callable

from tests.support.servers.webhook_receiver import Received, Reply

_LONGEST_S = 60


class Holding:
    """A rule that holds requests. `held` returns whether a request waits. All requests finally
    receive `status`."""

    def __init__(self, held: Callable[[Received], bool], status: int = 200) -> None:
        self._held = held
        self._status = status
        self._free = threading.Event()

    def __call__(self, request: Received) -> Reply:
        if self._held(request):
            self._free.wait(_LONGEST_S)
        return Reply(self._status)

    def let_go(self) -> None:
        self._free.set()


def the_first(count: int) -> Callable[[Received], bool]:
    """Select the first requests, up to this number."""
    places = threading.BoundedSemaphore(count)
    return lambda _: places.acquire(blocking=False)
