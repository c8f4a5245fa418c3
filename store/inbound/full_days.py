"""A per-process cache that records which daily limits on stored webhooks have been reached."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from domain.core.ids import TenantId
from domain.inbound.inbound_webhook import WebhookKind

_REMEMBERED: Final = timedelta(seconds=5)


@dataclass(frozen=True, slots=True)
class DayRoom:
    """The scope of a daily limit: webhooks of these kinds for one connection."""

    tenant: TenantId
    integration_id: str
    kinds: frozenset[WebhookKind]


class FullDays:
    """A cache of the daily limits that webhooks have reached, with entries valid for five seconds.

    Checking a limit reads up to 10,000 rows under the lock on the client's queues. The cache limits
    these reads during a flood.
    """

    def __init__(self) -> None:
        self._until: dict[DayRoom, datetime] = {}

    def known(self, room: DayRoom, now: datetime) -> bool:
        """Return True if a check within the last five seconds found the daily limit to be
        reached."""
        return now < self._until.get(room, now)

    def note(self, room: DayRoom, now: datetime) -> None:
        self._until = {one: until for one, until in self._until.items() if now < until}
        self._until[room] = now + _REMEMBERED
