"""The sweep for runs that were admitted but not answered."""

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.contracts import RunRef
from domain.runs.run import RunStatus
from store.core.place import Place, beyond
from store.playbooks.tables import playbook_versions as versions
from store.runs.runs import VERSION_OF_RUN
from store.runs.tables import engine_runs


@dataclass(frozen=True, slots=True)
class WaitingRun:
    """A run that was admitted but not answered. `reopened` means that its message had joined a
    review before."""

    ref: RunRef
    threshold: float
    received_at: datetime
    reopened: bool

    @property
    def place(self) -> Place:
        return Place(self.received_at, self.ref.run_id)


async def runs_left_received(
    connection: AsyncConnection, *, before: datetime, after: Place | None, limit: int
) -> list[WaitingRun]:
    """Return a page of unanswered runs, across all clients, that were admitted before `before`,
    oldest first. `after` is the position of the last run on the previous page."""
    rows = await connection.execute(
        sa.select(
            engine_runs.c.client_id,
            engine_runs.c.event_id,
            engine_runs.c.id,
            engine_runs.c.received_at,
            versions.c.threshold,
            engine_runs.c.answer.is_not(None).label("reopened"),
        )
        .join(versions, VERSION_OF_RUN)
        .where(
            engine_runs.c.status == RunStatus.RECEIVED,
            engine_runs.c.received_at < before,
            beyond(after, engine_runs.c.received_at, engine_runs.c.id),
        )
        .order_by(engine_runs.c.received_at, engine_runs.c.id)
        .limit(limit)
    )
    return [
        WaitingRun(
            RunRef(client_id=row.client_id, event_id=row.event_id, run_id=row.id),
            row.threshold,
            row.received_at,
            row.reopened,
        )
        for row in rows
    ]
