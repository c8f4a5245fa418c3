"""Events of the engine's first version. Only an import writes them."""

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert

from domain.core.ports import NewId
from domain.exports.legacy_event import LegacyEvent, StoredLegacyEvent
from store.core.repository import TenantRepository
from store.exports.tables import automation_events


class AutomationRepository(TenantRepository):
    async def add(self, events: Sequence[LegacyEvent], new_id: NewId) -> int:
        """Store events; one whose id is there already is left out. Returns how many were stored."""
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
        """The latest events, newest first."""
        table = automation_events.c
        rows = await self._connection.execute(
            sa.select(*(table[name] for name in StoredLegacyEvent.model_fields))
            .where(table.client_id == self._tenant)
            .order_by(table.created_at.desc(), table.id.desc())
            .limit(limit)
        )
        return tuple(StoredLegacyEvent.model_validate(row, from_attributes=True) for row in rows)
