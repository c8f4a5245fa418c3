"""Events from the engine's first version. Only imports write such events."""

from collections.abc import Sequence
from typing import Final

import sqlalchemy as sa
from pydantic import JsonValue
from sqlalchemy.dialects.postgresql import insert

from domain.core.errors import InvalidInput
from domain.core.ports import NewId
from domain.exports.legacy_event import LegacyEvent, StoredLegacyEvent
from store.core.repository import TenantRepository
from store.exports.tables import automation_events

_NONE: Final = "this client has no event with this id"


class AutomationRepository(TenantRepository):
    async def add(self, events: Sequence[LegacyEvent], new_id: NewId) -> int:
        """Store events from the engine's first version, except those with existing ids. Return the
        number of events stored."""
        rows = [
            {**event.model_dump(), "client_id": self._tenant, "id": event.id or new_id()}
            for event in events
        ]
        added = await self._connection.scalars(
            insert(automation_events)
            .values(rows)
            .on_conflict_do_nothing(index_elements=["client_id", "id"])
            .returning(automation_events.c.id)
        )
        return len(added.all())

    async def latest(self, limit: int) -> tuple[StoredLegacyEvent, ...]:
        """Return the latest events from the engine's first version, newest first."""
        table = automation_events.c
        rows = await self._connection.execute(
            sa.select(*(table[name] for name in StoredLegacyEvent.model_fields))
            .where(table.client_id == self._tenant)
            .order_by(table.created_at.desc(), table.id.desc())
            .limit(limit)
        )
        return tuple(StoredLegacyEvent.model_validate(row, from_attributes=True) for row in rows)

    async def read(self, event_id: str) -> tuple[StoredLegacyEvent, dict[str, JsonValue]]:
        """Return an event with its payload. Raises InvalidInput if the event does not exist."""
        table = automation_events.c
        row = await self._one(
            sa.select(automation_events).where(
                table.client_id == self._tenant, table.id == event_id
            ),
            {},
            InvalidInput(_NONE),
        )
        return StoredLegacyEvent.model_validate(row, from_attributes=True), row.payload

    async def delete(self, event_id: str) -> None:
        """Permanently delete an event. Raises InvalidInput if the event does not exist."""
        gone = await self._connection.execute(
            sa.delete(automation_events).where(
                automation_events.c.client_id == self._tenant, automation_events.c.id == event_id
            )
        )
        if gone.rowcount == 0:
            raise InvalidInput(_NONE)
