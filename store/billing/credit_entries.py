"""The credit ledger as people read it: each entry with the balance after it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

import sqlalchemy as sa

from store.core.repository import TenantRepository

# One statement, so one snapshot: what comes in between would make the sums differ. The balance is
# the ledger's sum, so only what is newer than the page is added up.
_PAGE: Final = sa.text("""
    WITH before AS (
        SELECT credits_balance - coalesce(
            (SELECT sum(amount) FROM credit_ledger
             WHERE client_id = :client_id AND id >= :cursor), 0)::bigint AS balance
        FROM clients WHERE id = :client_id
    ), page AS (
        SELECT id, amount, reason, coalesce(event_id, returned_event_id) AS event_id, created_at
        FROM credit_ledger
        WHERE client_id = :client_id AND (CAST(:cursor AS text) IS NULL OR id < :cursor)
        ORDER BY id DESC LIMIT :limit
    )
    SELECT page.*, (before.balance - coalesce(sum(amount) OVER (
        ORDER BY id DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0))::bigint AS balance
    FROM page, before ORDER BY id DESC
""")


@dataclass(frozen=True, slots=True)
class CreditEntry:
    """`amount`: credits that came, or negative that went. `reason`: `payment`, `ticket`,
    `ticket_returned`, or who changed it. `event_id`: of the ticket. `balance`: after it."""

    id: str
    amount: int
    reason: str
    event_id: str | None
    created_at: datetime
    balance: int


class CreditEntries(TenantRepository):
    async def page(self, *, limit: int, before: str | None = None) -> tuple[CreditEntry, ...]:
        """Entries, newest first. `before`: the last entry of the page before."""
        values = {"client_id": self._tenant, "limit": limit, "cursor": before}
        rows = await self._connection.execute(_PAGE, values)
        return tuple(CreditEntry(**row._asdict()) for row in rows)
