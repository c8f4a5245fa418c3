"""The room for large bodies: how many bytes of them a process holds at once."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from domain.inbound.errors import InboundBusy

_MEBIBYTE: Final = 1024 * 1024
# A connection may hold as much anyway: the edge bounds how many there are.
_FREE: Final = 64 * 1024


class BodyRoom:
    """Bytes of large bodies on their way or at work, of one endpoint and of all."""

    def __init__(self, *, in_all: int = 128 * _MEBIBYTE, of_one: int = 32 * _MEBIBYTE) -> None:
        self._in_all = in_all
        self._of_one = of_one
        self._held: Counter[str] = Counter()
        self._sum = 0

    @contextmanager
    def place(self, endpoint: str) -> Iterator["BodyPlace"]:
        """A place for one body, for as long as the block runs."""
        place = BodyPlace(self, endpoint)
        try:
            yield place
        finally:
            self._change(endpoint, -place.held)

    def take(self, endpoint: str, more: int) -> None:
        """Raises InboundBusy where there is no room."""
        if self._sum + more > self._in_all or self._held[endpoint] + more > self._of_one:
            raise InboundBusy
        self._change(endpoint, more)

    def _change(self, endpoint: str, by: int) -> None:
        self._sum += by
        self._held[endpoint] += by
        if not self._held[endpoint]:
            del self._held[endpoint]


class BodyPlace:
    """What one body takes of the room."""

    def __init__(self, room: BodyRoom, endpoint: str) -> None:
        self._room = room
        self._endpoint = endpoint
        self.held = 0

    def grow(self, size: int) -> None:
        """Have room for a body of so many bytes. Raises InboundBusy."""
        if size <= max(self.held, _FREE):
            return
        self._room.take(self._endpoint, size - self.held)
        self.held = size
