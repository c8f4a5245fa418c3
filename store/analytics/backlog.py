"""Query for the installation's backlog: the pending work of all clients."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from store.inbound.tables import inbound_webhooks
from store.reviews.tables import escalation_tickets
from store.runs.tables import engine_runs
from store.webhooks.tables import webhook_deliveries

COUNTED_TO: Final = 100_000
"""Upper bound for each backlog count. Operators do not need exact numbers above this bound, and
exact counts take seconds."""


@dataclass(frozen=True, slots=True)
class Backlog:
    """Counts of pending work across all clients, each at most `COUNTED_TO`.

    - `received_runs`: admitted runs that no worker has started, without those waiting for a model.
    - `oldest_received`: when the oldest of these runs was admitted.
    - `open_reviews`: undecided reviews.
    - `pending_deliveries`: webhook deliveries in progress or waiting for a retry.
    - `unfinished_webhooks`: inbound webhooks in progress or queued, without those that are waiting
      because of a limit.
    - `oldest_webhook`: when the oldest of these webhooks arrived.
    """

    received_runs: int
    oldest_received: datetime | None
    open_reviews: int
    pending_deliveries: int
    unfinished_webhooks: int
    oldest_webhook: datetime | None


async def read_backlog(connection: AsyncConnection) -> Backlog:
    """Count the unfinished work of all clients, in one query."""
    row = (await connection.execute(backlog_query())).one()
    return Backlog(*row)


def backlog_query() -> sa.Select[int, datetime | None, int, int, int, datetime | None]:
    """Return the query for the backlog. Each count uses a partial index that contains only the rows
    of pending work."""
    received = sa.select(engine_runs.c.received_at).where(
        engine_runs.c.status == "received", engine_runs.c.model_fault.is_(None)
    )
    undecided = sa.select(escalation_tickets.c.id).where(
        escalation_tickets.c.decided_at.is_(None),
        escalation_tickets.c.status.in_(("pending", "claimed")),
    )
    pending = sa.select(webhook_deliveries.c.id).where(webhook_deliveries.c.status == "pending")
    came = (
        sa.select(inbound_webhooks.c.created_at)
        .where(inbound_webhooks.c.state.in_(("queued", "working")))
        .limit(COUNTED_TO)
        .subquery()
    )
    first_came = sa.select(sa.func.min(came.c.created_at)).scalar_subquery()
    unfinished = sa.select(sa.func.count()).select_from(came).scalar_subquery()
    oldest = received.order_by(engine_runs.c.received_at).limit(1)
    return sa.select(
        _counted(received),
        oldest.scalar_subquery(),
        _counted(undecided),
        _counted(pending),
        unfinished,
        first_came,
    )


def _counted(rows: sa.Select[str] | sa.Select[datetime]) -> sa.ScalarSelect[int]:
    first = rows.limit(COUNTED_TO).subquery()
    return sa.select(sa.func.count()).select_from(first).scalar_subquery()
