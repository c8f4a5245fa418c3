"""A cache, in one process, of the clients that have reached the daily limit of stored webhooks."""

from datetime import datetime, timedelta
from typing import Final

from domain.core.ids import TenantId

_REMEMBERED: Final = timedelta(seconds=5)


class FullDays:
    """Caches for five seconds that a client has reached its daily limit of stored webhooks.

    The check reads up to 10,000 rows under the lock of the client's queues. With the cache, a flood
    of rejected webhooks causes these reads only once every five seconds.
    """

    def __init__(self) -> None:
        self._until: dict[TenantId, datetime] = {}

    def known(self, tenant: TenantId, now: datetime) -> bool:
        """Return whether the client was found to be at its daily limit within the last five
        seconds."""
        return now < self._until.get(tenant, now)

    def note(self, tenant: TenantId, now: datetime) -> None:
        self._until = {one: until for one, until in self._until.items() if now < until}
        self._until[tenant] = now + _REMEMBERED
