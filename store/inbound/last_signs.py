"""Each connection's most recent activity, from a bounded scan of the newest runs, steps and
webhooks."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import sqlalchemy as sa

from store.core.repository import TenantRepository

NEWEST: Final = 1_000
"""The maximum number of rows scanned in each category: runs, steps and webhooks."""

_SIGNS: Final = sa.text("""
    SELECT 'found' AS what, integration_id, max(at) AS at FROM (
        SELECT lookup -> 'order' ->> 'integration_id' AS integration_id, received_at AS at
        FROM engine_runs WHERE client_id = :client_id ORDER BY id DESC LIMIT :newest
    ) AS run WHERE integration_id = ANY(:ids) GROUP BY 2
    UNION ALL
    SELECT 'done', integration_id, max(at) FROM (
        SELECT CASE state WHEN 'done' THEN integration_id END AS integration_id, finished_at AS at
        FROM action_ledger WHERE client_id = :client_id ORDER BY id DESC LIMIT :newest
    ) AS step WHERE integration_id = ANY(:ids) GROUP BY 2
    UNION ALL
    SELECT 'webhook_at', integration_id, max(at) FROM (
        SELECT integration_id, created_at AS at
        FROM inbound_webhooks WHERE client_id = :client_id ORDER BY id DESC LIMIT :newest
    ) AS webhook WHERE integration_id = ANY(:ids) GROUP BY 2
""")


@dataclass(frozen=True, slots=True)
class LastSigns:
    """The times of a connection's most recent activity, or None. `found`: an order lookup that
    found an order. `done`: an executed action. `webhook_at`: a received webhook."""

    found: datetime | None = None
    done: datetime | None = None
    webhook_at: datetime | None = None

    @property
    def last(self) -> datetime | None:
        return max((one for one in (self.found, self.done, self.webhook_at) if one), default=None)


class LastSignsReader(TenantRepository):
    async def of(self, ids: Collection[str]) -> Mapping[str, LastSigns]:
        """Return the most recent activity of each of these connections, keyed by connection id."""
        rows = await self._connection.execute(
            _SIGNS, {"client_id": self._tenant, "ids": list(ids), "newest": NEWEST}
        )
        found: dict[str, dict[str, datetime]] = {one: {} for one in ids}
        for row in rows:
            found[row.integration_id][row.what] = row.at
        return {one: LastSigns(**signs) for one, signs in found.items()}
