"""The room for large bodies: how many bytes of them a process holds at once."""

from collections import Counter
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from domain.core.ids import TenantId
from domain.inbound.errors import InboundBusy

_MEBIBYTE: Final = 1024 * 1024
# A connection may hold as much anyway: the edge bounds how many there are.
_FREE: Final = 64 * 1024


@dataclass(frozen=True, slots=True)
class _Client:
    tenant: TenantId


@dataclass(frozen=True, slots=True)
class _Address:
    address: str


class BodyRoom:
    """Bytes of large bodies that came and are held, of one client, of one address and of all.

    Each client and each address holds at most half of what the others leave free, and at most
    `of_one` bytes. So a few of them never fill the room, and an idle room takes the largest body.
    """

    def __init__(self, *, in_all: int = 128 * _MEBIBYTE, of_one: int = 32 * _MEBIBYTE) -> None:
        self._in_all = in_all
        self._of_one = of_one
        self._held: Counter[Hashable] = Counter()
        self._sum = 0

    @contextmanager
    def place(self, tenant: TenantId | None, address: str) -> Iterator["BodyPlace"]:
        """A place for one body, for as long as the block runs. `tenant`: None where the client is
        known only after the body. `address`: of the sender."""
        keys: tuple[Hashable, ...] = (_Address(address),)
        place = BodyPlace(self, keys if tenant is None else (_Client(tenant), *keys))
        try:
            yield place
        finally:
            self._change(place.keys, -place.held)

    def take(self, keys: tuple[Hashable, ...], more: int) -> None:
        """Raises InboundBusy where there is no room."""
        for key in keys:
            held = self._held[key]
            free = self._in_all - (self._sum - held)
            if held + more > min(self._of_one, free // 2):
                raise InboundBusy
        self._change(keys, more)

    def _change(self, keys: tuple[Hashable, ...], by: int) -> None:
        self._sum += by
        for key in keys:
            self._held[key] += by
            if not self._held[key]:
                del self._held[key]


class BodyPlace:
    """The part of the room that one body takes."""

    def __init__(self, room: BodyRoom, keys: tuple[Hashable, ...]) -> None:
        self._room = room
        self.keys = keys
        self.held = 0

    def grow(self, size: int) -> None:
        """Take room for the bytes that came so far, not for those announced. Raises InboundBusy."""
        if size <= max(self.held, _FREE):
            return
        self._room.take(self.keys, size - self.held)
        self.held = size
