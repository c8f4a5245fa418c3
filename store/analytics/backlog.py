"""What waits in the whole installation, for its operators."""

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
"""Nobody needs to know how many more there are, and counting them all would take seconds."""


@dataclass(frozen=True, slots=True)
class Backlog:
    """Of all clients; each number is at most `COUNTED_TO`.

    `received_runs`: admitted, and begun by no worker; `oldest_received`: when the first of them
    was. `open_reviews`: nobody has decided them. `pending_deliveries`: of webhooks, the one that is
    under way and the one that waits for its next try alike. `unfinished_webhooks`: that came in, at
    work or behind others, but for those that wait for their client's limits; `oldest_webhook`: when
    the first of them came.
    """

    received_runs: int
    oldest_received: datetime | None
    open_reviews: int
    pending_deliveries: int
    unfinished_webhooks: int
    oldest_webhook: datetime | None


async def read_backlog(connection: AsyncConnection) -> Backlog:
    row = (await connection.execute(backlog_query())).one()
    return Backlog(*row)


def backlog_query() -> sa.Select[int, datetime | None, int, int, int, datetime | None]:
    """One statement, each part of it by an index of what waits alone."""
    received = sa.select(engine_runs.c.received_at).where(engine_runs.c.status == "received")
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
