"""Look up runs by an id, by a ticket or by an order number."""

from typing import Final

import sqlalchemy as sa

from store.core.repository import TenantRepository

LOOKED_THROUGH: Final = 5_000
"""Maximum number of the latest events or runs that are searched. Ticket and order numbers have no
index."""

_BY_ID: Final = sa.text("""
    SELECT id FROM engine_runs WHERE client_id = :client_id AND (id = :named OR event_id = :named)
    UNION
    SELECT run_id FROM escalation_tickets WHERE client_id = :client_id AND id = :named
    LIMIT 1
""")
_BY_TICKET: Final = sa.text("""
    SELECT run.id FROM (
        SELECT id FROM (
            SELECT id, unified FROM engine_events
            WHERE client_id = :client_id AND erased_at IS NULL
            ORDER BY id DESC LIMIT :looked_through
        ) AS latest WHERE unified ->> 'ticket_id' = :named ORDER BY id DESC LIMIT 1
    ) AS event JOIN engine_runs AS run ON run.client_id = :client_id AND run.event_id = event.id
""")
_OF_ORDER: Final = sa.text("""
    SELECT id FROM (
        SELECT id, lookup FROM engine_runs WHERE client_id = :client_id
        ORDER BY id DESC LIMIT :looked_through
    ) AS latest WHERE lookup -> 'order' ->> 'number' = :number ORDER BY id DESC LIMIT :limit
""")


class RunFinder(TenantRepository):
    async def named(self, named: str) -> str | None:
        """Return the id of the run with this id, or of the run that belongs to the event, review or
        ticket with this id. If a ticket has several runs, return the id of the latest run."""
        for query in (_BY_ID, _BY_TICKET):
            found: str | None = await self._connection.scalar(
                query,
                {"client_id": self._tenant, "named": named, "looked_through": LOOKED_THROUGH},
            )
            if found is not None:
                return found
        return None

    async def of_order(self, number: str, *, limit: int) -> tuple[str, ...]:
        """Return the ids of the runs that looked up the order with this number, latest first."""
        found = await self._connection.scalars(
            _OF_ORDER,
            {
                "client_id": self._tenant,
                "number": number,
                "looked_through": LOOKED_THROUGH,
                "limit": limit,
            },
        )
        return tuple(found)
