"""Citation counts: how often a client's recent answers cite each knowledge entry and template."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

import sqlalchemy as sa

from domain.core.ids import first_ulid
from store.core.repository import TenantRepository

NEWEST: Final = 2_000
"""Maximum number of runs whose citations are counted."""

_CITED: Final = """
    SELECT cited ->> 'id' AS id, count(*) AS uses
    FROM (
        SELECT citations FROM engine_runs
        WHERE client_id = :client_id AND id >= :first_id
        ORDER BY id DESC LIMIT :newest
    ) AS run
    CROSS JOIN LATERAL jsonb_array_elements(run.citations) AS cited
    WHERE cited ->> 'kind' = :kind
"""
_USES: Final = sa.text(f"{_CITED} AND cited ->> 'id' = ANY(:ids) GROUP BY 1")
_MOST_USED: Final = sa.text(f"""
    SELECT entry.id, entry.title, used.uses
    FROM ({_CITED} GROUP BY 1) AS used
    JOIN knowledge_entries AS entry ON entry.client_id = :client_id AND entry.id = used.id
    ORDER BY used.uses DESC, entry.title, entry.id
    LIMIT :limit
""")  # noqa: S608 - a constant is put in, no value


@dataclass(frozen=True, slots=True)
class UsedEntry:
    """A knowledge entry, and how often answers cite it."""

    id: str
    title: str
    uses: int


class ContentUses(TenantRepository):
    async def since(
        self, since: datetime, kind: Literal["knowledge", "template"], ids: Collection[str]
    ) -> Mapping[str, int]:
        """Count how often the runs since `since` (an aware time) cite each entry or template, by
        id. Examines the newest `NEWEST` runs. Ids without a citation are omitted."""
        if not ids:
            return {}
        rows = await self._connection.execute(
            _USES,
            {
                "client_id": self._tenant,
                "first_id": first_ulid(since),
                "newest": NEWEST,
                "kind": kind,
                "ids": list(ids),
            },
        )
        return {row.id: row.uses for row in rows}

    async def most_used(self, since: datetime, *, limit: int) -> tuple[UsedEntry, ...]:
        """Return the knowledge entries cited most by the runs since `since` (an aware time), most
        citations first. Examines the newest `NEWEST` runs. Deleted entries are omitted."""
        rows = await self._connection.execute(
            _MOST_USED,
            {
                "client_id": self._tenant,
                "first_id": first_ulid(since),
                "newest": NEWEST,
                "kind": "knowledge",
                "limit": limit,
            },
        )
        return tuple(UsedEntry(row.id, row.title, row.uses) for row in rows)
