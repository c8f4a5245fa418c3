"""Look up any record by its id: a run (also by the id of its event), a review, a conversation or a
delivery."""

from dataclasses import dataclass
from typing import Final, Literal

import sqlalchemy as sa

from store.core.repository import TenantRepository

Kind = Literal["run", "review", "conversation", "delivery"]

_NAMED: Final = sa.text("""
    SELECT 'run' AS kind, id, NULL AS within FROM engine_runs
    WHERE client_id = :client_id AND (id = :named OR event_id = :named)
    UNION ALL
    SELECT 'review', id, NULL FROM escalation_tickets WHERE client_id = :client_id AND id = :named
    UNION ALL
    SELECT 'conversation', id, NULL FROM ai_conversations
    WHERE client_id = :client_id AND id = :named
    UNION ALL
    SELECT 'delivery', id, webhook_id FROM webhook_deliveries
    WHERE client_id = :client_id AND id = :named
""")


@dataclass(frozen=True, slots=True)
class NamedRecord:
    """A record found by its id. `within`: for a delivery, the id of its webhook."""

    kind: Kind
    id: str
    within: str | None


class NamedRecords(TenantRepository):
    async def of(self, named: str) -> list[NamedRecord]:
        rows = await self._connection.execute(_NAMED, {"client_id": self._tenant, "named": named})
        return [NamedRecord(row.kind, row.id, row.within) for row in rows]
