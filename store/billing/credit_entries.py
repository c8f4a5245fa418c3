"""The credit ledger as displayed: each entry with the balance after it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

import sqlalchemy as sa

from store.core.repository import TenantRepository

# A single statement reads one snapshot. The balance after a page's first entry is the current
# balance minus all newer entries.
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
    """An entry in the credit ledger. `amount` is negative for credits taken. `reason` is `payment`,
    `ticket`, `ticket_returned`, `ticket_reopened`, or the operator who changed the balance.
    `event_id` is the ticket's event, if any. `balance` is the balance after the entry."""

    id: str
    amount: int
    reason: str
    event_id: str | None
    created_at: datetime
    balance: int


class CreditEntries(TenantRepository):
    async def page(self, *, limit: int, before: str | None = None) -> tuple[CreditEntry, ...]:
        """Return a page of ledger entries, newest first. `before` is the last id of the previous
        page."""
        values = {"client_id": self._tenant, "limit": limit, "cursor": before}
        rows = await self._connection.execute(_PAGE, values)
        return tuple(CreditEntry(**row._asdict()) for row in rows)
