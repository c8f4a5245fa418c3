"""Follow a client's webhook events as they happen, to forward them to a developer's machine."""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Final

from domain.core.ids import TenantId
from store.core.database import Database
from store.webhooks.outbox_tail import OutboxEvent, OutboxTail

# The longest time between an event's timestamp and its commit. Events are read again for this time
# because a slow transaction may commit an event after newer events were read.
_LATE_COMMIT: Final = timedelta(seconds=30)
_PAGE: Final = 200


class Listening:
    """A reader that returns each of a client's new events once. `events` are the types to read;
    empty means all."""

    def __init__(
        self, database: Database, tenant: TenantId, *, events: Collection[str], since: datetime
    ) -> None:
        self._database = database
        self._tenant = tenant
        self._events = frozenset(events)
        self._since = since
        self._start = since
        self._seen: dict[str, datetime] = {}

    async def new(self) -> tuple[OutboxEvent, ...]:
        """Return the events since the previous call, oldest first. Raises EngineUnavailable."""
        found: list[OutboxEvent] = []
        while True:
            async with self._database.reading(self._tenant) as connection:
                page = await OutboxTail(connection, self._tenant).since(self._start, limit=_PAGE)
            fresh = [one for one in page if one.id not in self._seen]
            self._seen |= {one.id: one.created_at for one in fresh}
            found += [one for one in fresh if not self._events or one.event in self._events]
            if len(page) < _PAGE or not fresh:
                break
            self._start = page[-1].created_at
        if self._seen:
            newest = max(self._seen.values())
            self._start = max(self._since, newest - _LATE_COMMIT)
            self._seen = {key: at for key, at in self._seen.items() if at >= self._start}
        return tuple(found)
