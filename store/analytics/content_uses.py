"""Citation counts: how often a client's recent answers cite each knowledge entry and template."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Final, Literal

import sqlalchemy as sa

from domain.core.ids import first_ulid
from store.core.repository import TenantRepository

NEWEST: Final = 2_000
"""Maximum number of runs whose citations are counted."""

_USES: Final = sa.text("""
    SELECT cited ->> 'id' AS id, count(*) AS uses
    FROM (
        SELECT citations FROM engine_runs
        WHERE client_id = :client_id AND id >= :first_id
        ORDER BY id DESC LIMIT :newest
    ) AS run
    CROSS JOIN LATERAL jsonb_array_elements(run.citations) AS cited
    WHERE cited ->> 'kind' = :kind AND cited ->> 'id' = ANY(:ids)
    GROUP BY 1
""")


class ContentUses(TenantRepository):
    async def since(
        self, since: datetime, kind: Literal["knowledge", "template"], ids: Collection[str]
    ) -> Mapping[str, int]:
        """Return how often the newest `NEWEST` runs since `since`, an aware time, cite each of
        these entries or templates. The counts are keyed by id. Ids without a citation are omitted.
        """
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
