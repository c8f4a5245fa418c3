"""The usage periods of all clients: monthly counters, which a scheduled job creates, and sums for
the consistency check."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.period import Period
from store.billing.tables import usage_counters
from store.tenants.tables import clients


@dataclass(frozen=True, slots=True)
class Drift:
    """A client whose usage counter or credit balance differs from the sum of the corresponding
    ledger."""

    client_id: str
    counted: int
    in_ledger: int
    balance: int
    in_credit_ledger: int


async def client_page(connection: AsyncConnection, *, after: str, limit: int) -> list[str]:
    """Return a page of client ids, in order, starting after the id `after`. Clients that are being
    erased are omitted."""
    query = (
        sa.select(clients.c.id)
        .where(clients.c.id > after, clients.c.closed_at.is_(None))
        .order_by(clients.c.id)
        .limit(limit)
    )
    return list(await connection.scalars(query))


async def make_due_changes(
    connection: AsyncConnection, client_ids: Sequence[str], at: datetime
) -> int:
    """Apply these clients' scheduled plan changes that are due at `at`. Return the number of
    clients changed."""
    changed = await connection.execute(
        sa.update(clients)
        .where(clients.c.id.in_(client_ids), clients.c.next_plan_from <= at)
        .values(plan=clients.c.next_plan, next_plan=None, next_plan_from=None)
    )
    return changed.rowcount


async def open_counters(
    connection: AsyncConnection, client_ids: Sequence[str], period: Period
) -> int:
    """Create the usage counters of these clients for a month, with the value 0. Existing counters
    stay unchanged."""
    opened = await connection.execute(
        insert(usage_counters)
        .from_select(
            ["client_id", "period", "tickets_used"],
            sa.select(clients.c.id, sa.literal(period), sa.literal(0)).where(
                clients.c.id.in_(client_ids)
            ),
        )
        .on_conflict_do_nothing()
        .returning(usage_counters.c.client_id)
    )
    return len(opened.all())


_DRIFTING: Final = sa.text("""
    SELECT * FROM (
        SELECT id AS client_id, credits_balance AS balance,
            coalesce((SELECT tickets_used FROM usage_counters
                      WHERE client_id = clients.id AND period = :period), 0) AS counted,
            (SELECT count(*) FROM usage_ledger
             WHERE client_id = clients.id AND period = :period
               AND returned_at IS NULL) AS in_ledger,
            (SELECT coalesce(sum(amount), 0)::bigint FROM credit_ledger
             WHERE client_id = clients.id) AS in_credit_ledger
        FROM clients WHERE id = ANY(:client_ids)
    ) AS sums
    WHERE counted <> in_ledger OR balance <> in_credit_ledger
    ORDER BY client_id
""")


async def drifting(
    connection: AsyncConnection, client_ids: Sequence[str], period: Period
) -> list[Drift]:
    """Return the clients whose counters or balances differ from the sums of their ledgers. One
    statement reads all values, so they come from a single snapshot."""
    rows = await connection.execute(_DRIFTING, {"period": period, "client_ids": list(client_ids)})
    return [Drift(**row._asdict()) for row in rows]
