"""The sweep across all clients' reviews. It finds decided or overdue reviews that no workflow has
taken up."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.contracts import RunRef
from store.core.place import Place, beyond
from store.playbooks.tables import playbook_versions
from store.reviews.escalations import RUN_OF_TICKET
from store.reviews.tables import escalation_tickets
from store.runs.runs import VERSION_OF_RUN
from store.runs.tables import engine_runs


@dataclass(frozen=True, slots=True)
class DecidedEscalation:
    """A decided review, and the run to notify. `threshold` is the confidence threshold of the run's
    playbook."""

    id: str
    ref: RunRef
    threshold: float
    decided_at: datetime

    @property
    def place(self) -> Place:
        return Place(self.decided_at, self.id)


@dataclass(frozen=True, slots=True)
class OverdueEscalation:
    """A review that has expired without a decision and has not been closed by a run."""

    id: str
    ref: RunRef
    round: int
    expires_at: datetime

    @property
    def place(self) -> Place:
        return Place(self.expires_at, self.id)


async def decisions_not_taken_up(
    connection: AsyncConnection, *, before: datetime, after: Place | None, limit: int
) -> list[DecidedEscalation]:
    """Return a page of decisions, across all clients, that were made before `before` and that no
    workflow has taken up, oldest first. `after` is the position of the last decision on the
    previous page."""
    rows = await connection.execute(
        sa.select(
            *_WHICH,
            escalation_tickets.c.decided_at,
            playbook_versions.c.threshold,
        )
        .join(engine_runs, RUN_OF_TICKET)
        .join(playbook_versions, VERSION_OF_RUN)
        .where(
            escalation_tickets.c.decided_at < before,
            escalation_tickets.c.taken_up_at.is_(None),
            beyond(after, escalation_tickets.c.decided_at, escalation_tickets.c.id),
        )
        .order_by(escalation_tickets.c.decided_at, escalation_tickets.c.id)
        .limit(limit)
    )
    return [
        DecidedEscalation(
            row.id,
            _run(row),
            row.threshold,
            row.decided_at,
        )
        for row in rows
    ]


async def overdue_escalations(
    connection: AsyncConnection, *, before: datetime, after: Place | None, limit: int
) -> list[OverdueEscalation]:
    """Return a page of undecided reviews, across all clients, that expired before `before`, oldest
    first. `after` is the position of the last review on the previous page."""
    rows = await connection.execute(
        sa.select(
            *_WHICH,
            escalation_tickets.c.round,
            escalation_tickets.c.expires_at,
        )
        .join(engine_runs, RUN_OF_TICKET)
        .where(
            escalation_tickets.c.decided_at.is_(None),
            escalation_tickets.c.expires_at < before,
            beyond(after, escalation_tickets.c.expires_at, escalation_tickets.c.id),
        )
        .order_by(escalation_tickets.c.expires_at, escalation_tickets.c.id)
        .limit(limit)
    )
    return [
        OverdueEscalation(
            row.id,
            _run(row),
            row.round,
            row.expires_at,
        )
        for row in rows
    ]


async def give_up(connection: AsyncConnection, escalation_id: str, now: datetime) -> None:
    """Mark a decision as taken up, because its run no longer exists. The sweep then skips the
    decision."""
    await connection.execute(
        sa.update(escalation_tickets)
        .where(escalation_tickets.c.id == escalation_id)
        .values(taken_up_at=now)
    )


_WHICH: Final = (
    escalation_tickets.c.id,
    escalation_tickets.c.client_id,
    escalation_tickets.c.run_id,
    engine_runs.c.event_id,
)


def _run(row: sa.Row[*tuple[Any, ...]]) -> RunRef:
    return RunRef(client_id=row.client_id, event_id=row.event_id, run_id=row.run_id)
