"""Decisions of all clients that the run they are for has not taken up."""

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.contracts import RunRef
from store.playbooks.tables import playbook_versions
from store.reviews.escalations import RUN_OF_TICKET
from store.reviews.tables import escalation_tickets
from store.runs.runs import VERSION_OF_RUN
from store.runs.tables import engine_runs


@dataclass(frozen=True, slots=True)
class DecidedEscalation:
    """A decision, and the run whose workflow must hear of it. `threshold`: of its playbook."""

    id: str
    ref: RunRef
    threshold: float


async def decisions_not_taken_up(
    connection: AsyncConnection, *, before: datetime, limit: int
) -> list[DecidedEscalation]:
    """Decisions of all clients whose workflow has not taken them up, oldest first."""
    rows = await connection.execute(
        sa.select(
            escalation_tickets.c.id,
            escalation_tickets.c.client_id,
            escalation_tickets.c.run_id,
            engine_runs.c.event_id,
            playbook_versions.c.threshold,
        )
        .join(engine_runs, RUN_OF_TICKET)
        .join(playbook_versions, VERSION_OF_RUN)
        .where(escalation_tickets.c.decided_at < before, escalation_tickets.c.taken_up_at.is_(None))
        .order_by(escalation_tickets.c.decided_at)
        .limit(limit)
    )
    return [
        DecidedEscalation(
            row.id,
            RunRef(client_id=row.client_id, event_id=row.event_id, run_id=row.run_id),
            row.threshold,
        )
        for row in rows
    ]


async def give_up(connection: AsyncConnection, escalation_id: str, now: datetime) -> None:
    """Note that no run is left to take a decision up, so that it is not looked at again."""
    await connection.execute(
        sa.update(escalation_tickets)
        .where(escalation_tickets.c.id == escalation_id)
        .values(taken_up_at=now)
    )
