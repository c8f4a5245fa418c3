"""Clients whose day has no room for more webhooks, as one process found it."""

from datetime import datetime, timedelta
from typing import Final

from domain.core.ids import TenantId

_REMEMBERED: Final = timedelta(seconds=5)


class FullDays:
    """To find it out, up to 10,000 rows are read under the lock of the client's lanes. So a flood
    of refused webhooks reads them once in five seconds."""

    def __init__(self) -> None:
        self._until: dict[TenantId, datetime] = {}

    def known(self, tenant: TenantId, now: datetime) -> bool:
        """Return whether the client's day was found full a moment ago."""
        return now < self._until.get(tenant, now)

    def note(self, tenant: TenantId, now: datetime) -> None:
        self._until = {one: until for one, until in self._until.items() if now < until}
        self._until[tenant] = now + _REMEMBERED
