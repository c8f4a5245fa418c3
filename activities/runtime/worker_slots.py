"""The slots for one kind of long work in one worker.

Long work must not occupy the activity slots that all clients share. Without a slot, it waits in
Temporal, which retries it.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from domain.core.errors import DomainError
from domain.core.ids import TenantId

AT_ONCE: Final = 8
"""Maximum number of slots in use at one time, at most one per client."""
UNPAID: Final = 4
"""Maximum number of slots in use at one time for all clients without a paid plan."""
_TURN_S: Final = 60.0
"""Time after which work gives its slot to a waiting client, in seconds."""
FORGOTTEN_AFTER_S: Final = 30.0
"""Time after which a client that was not retried no longer waits, in seconds."""


@dataclass(slots=True)
class _Client:
    """A client that has a slot or waits. `since` is the start of its work, or its last attempt."""

    pays: bool
    since: float


class WorkerSlots:
    """Slots in the order of the clients' first attempts. `refusal` is the retryable error for work
    that must wait. `monotonic` is a clock in seconds."""

    def __init__(
        self,
        refusal: type[DomainError],
        monotonic: Callable[[], float] = time.monotonic,
        *,
        at_once: int = AT_ONCE,
        unpaid: int = UNPAID,
    ) -> None:
        self._refusal = refusal
        self._monotonic = monotonic
        self._at_once = at_once
        self._unpaid = unpaid
        self._running: dict[TenantId, _Client] = {}
        # The clients are ordered by their first attempt.
        self._waiting: dict[TenantId, _Client] = {}

    @contextmanager
    def slot(self, tenant: TenantId, *, pays: bool) -> Iterator[None]:
        """Hold a slot while the block runs. Raises `refusal` if none is free, or if clients
        that came earlier wait for it."""
        now = self._monotonic()
        self._forget(now)
        if tenant in self._running:
            raise self._refusal
        client = self._waiting.setdefault(tenant, _Client(pays, now))
        client.pays, client.since = pays, now
        if tenant not in self._admitted(self._running):
            raise self._refusal
        self._running[tenant] = self._waiting.pop(tenant)
        try:
            yield
        finally:
            del self._running[tenant]

    def check_kept(self, tenant: TenantId) -> None:
        """Raise `refusal` if the client has had its slot for `_TURN_S` and another client waits
        for the slot."""
        now = self._monotonic()
        self._forget(now)
        if now - self._running[tenant].since < _TURN_S:
            return
        others = {one: client for one, client in self._running.items() if one != tenant}
        if self._admitted(others):
            raise self._refusal

    def _admitted(self, running: dict[TenantId, _Client]) -> set[TenantId]:
        """Return the waiting clients that may have a slot next to the slots in use."""
        free = self._at_once - len(running)
        unpaid = self._unpaid - sum(not one.pays for one in running.values())
        admitted = set[TenantId]()
        for tenant, client in self._waiting.items():
            if free > 0 and (client.pays or unpaid > 0):
                admitted.add(tenant)
                free -= 1
                unpaid -= not client.pays
        return admitted

    def _forget(self, now: float) -> None:
        for tenant, client in [*self._waiting.items()]:
            if now - client.since > FORGOTTEN_AFTER_S:
                del self._waiting[tenant]
