"""A cache, in one process, of clients that have reached the daily limit on stored webhooks."""

from datetime import datetime, timedelta
from typing import Final

from domain.core.ids import TenantId

_REMEMBERED: Final = timedelta(seconds=5)


class FullDays:
    """Remembers for five seconds that a client has reached its daily limit on stored webhooks.

    The check reads up to 10,000 rows while holding the lock on the client's queues. With the cache,
    a flood of rejected webhooks causes these reads only once every five seconds.
    """

    def __init__(self) -> None:
        self._until: dict[TenantId, datetime] = {}

    def known(self, tenant: TenantId, now: datetime) -> bool:
        """Return True if a check within the last five seconds found the client to be at its daily
        limit."""
        return now < self._until.get(tenant, now)

    def note(self, tenant: TenantId, now: datetime) -> None:
        self._until = {one: until for one, until in self._until.items() if now < until}
        self._until[tenant] = now + _REMEMBERED
