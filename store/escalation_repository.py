"""Escalations. A decision is one compare-and-set: whoever is second finds it taken."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.contracts import RunRef
from domain.errors import DraftMissing, EscalationDecided, EscalationNotFound
from domain.escalation import OPEN_STATUSES, Decision, EscalationReason, EscalationStatus
from domain.ids import TenantId
from store.run_repository import HUMAN_TEXT
from store.tables import engine_events, engine_runs, escalation_tickets, playbook_versions


@dataclass(frozen=True, slots=True)
class Escalation:
    """A run that waits for a human, with what the human needs to decide."""

    id: str
    client_id: str
    status: EscalationStatus
    reason: EscalationReason
    classification: str
    confidence: float
    subject: str | None
    text: str | None
    draft: str
    created_at: datetime
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class DecidedEscalation:
    """A decision, and the run whose workflow must hear of it."""

    id: str
    ref: RunRef
    threshold: float


class EscalationRepository:
    def __init__(self, connection: AsyncConnection, tenant: TenantId) -> None:
        self._connection = connection
        self._tenant = tenant

    async def open(
        self,
        ref: RunRef,
        *,
        escalation_id: str,
        round_: int,
        reason: EscalationReason,
        expires_at: datetime,
        now: datetime,
    ) -> None:
        """Hand a run to a human, with its draft and plan as they stand; idempotent by round."""
        standing = sa.select(
            sa.literal(self._tenant),
            sa.literal(escalation_id),
            engine_runs.c.id,
            sa.literal(round_),
            sa.literal(EscalationStatus.PENDING.value),
            sa.literal(reason.value),
            sa.func.coalesce(HUMAN_TEXT, engine_runs.c.draft, ""),
            engine_runs.c.plan,
            sa.literal(expires_at),
            sa.literal(now),
        ).where(engine_runs.c.client_id == self._tenant, engine_runs.c.id == ref.run_id)
        columns = [
            "client_id", "id", "run_id", "round", "status", "reason", "draft", "plan",
            "expires_at", "created_at",
        ]  # fmt: skip
        await self._connection.execute(
            insert(escalation_tickets)
            .from_select(columns, standing)
            .on_conflict_do_nothing(index_elements=["client_id", "run_id", "round"])
        )

    async def settle(
        self, run_id: str, round_: int, *, expired: bool, now: datetime
    ) -> Decision | None:
        """Take up the decision that stands, closing an undecided escalation if its time is up.

        None while nobody has decided. A human's decision wins over an expiry that comes later.
        """
        this = sa.and_(
            escalation_tickets.c.client_id == self._tenant,
            escalation_tickets.c.run_id == run_id,
            escalation_tickets.c.round == round_,
        )
        if expired:
            await self._connection.execute(
                sa.update(escalation_tickets)
                .where(this, escalation_tickets.c.status.in_(OPEN_STATUSES))
                .values(status=EscalationStatus.EXPIRED, decision=Decision.EXPIRE, decided_at=now)
            )
        decision = await self._connection.scalar(
            sa.update(escalation_tickets)
            .where(this, escalation_tickets.c.decision.is_not(None))
            .values(taken_up_at=sa.func.coalesce(escalation_tickets.c.taken_up_at, now))
            .returning(escalation_tickets.c.decision)
        )
        if decision is None:
            # Expired and no row: the client was erased meanwhile, and nobody will ever decide.
            return Decision.EXPIRE if expired else None
        return Decision(decision)


async def decide(
    connection: AsyncConnection,
    escalation_id: str,
    decision: Decision,
    *,
    actor: str,
    edited_text: str | None,
    now: datetime,
) -> DecidedEscalation:
    """Take a decision once. Raises EscalationNotFound, EscalationDecided, DraftMissing."""
    row = (
        await connection.execute(
            sa.update(escalation_tickets)
            .where(
                escalation_tickets.c.id == escalation_id,
                escalation_tickets.c.status.in_(OPEN_STATUSES),
            )
            .values(
                status=decision.status,
                decision=decision,
                decided_by=actor,
                decided_at=now,
                edited_text=edited_text,
            )
            .returning(
                escalation_tickets.c.client_id,
                escalation_tickets.c.run_id,
                escalation_tickets.c.draft,
            )
        )
    ).one_or_none()
    if row is None:
        known = await connection.scalar(
            sa.select(escalation_tickets.c.id).where(escalation_tickets.c.id == escalation_id)
        )
        raise (
            EscalationNotFound(escalation_id) if known is None else EscalationDecided(escalation_id)
        )
    if decision is Decision.APPROVE and not row.draft:
        raise DraftMissing(escalation_id)  # rolls the decision back
    return await _decided(connection, escalation_id)


async def open_escalations(
    connection: AsyncConnection, *, client_id: str | None, limit: int
) -> list[Escalation]:
    """What waits for a human, oldest first, of one client or of all."""
    tickets = escalation_tickets.c
    query = (
        sa.select(
            tickets.id,
            tickets.client_id,
            tickets.status,
            tickets.reason,
            tickets.draft,
            tickets.created_at,
            tickets.expires_at,
            sa.func.coalesce(engine_runs.c.classification, "").label("classification"),
            sa.func.coalesce(engine_runs.c.confidence, 0).label("confidence"),
            engine_events.c.subject,
            engine_events.c.text,
        )
        .join(
            engine_runs,
            sa.and_(
                engine_runs.c.client_id == tickets.client_id, engine_runs.c.id == tickets.run_id
            ),
        )
        .join(
            engine_events,
            sa.and_(
                engine_events.c.client_id == engine_runs.c.client_id,
                engine_events.c.id == engine_runs.c.event_id,
            ),
        )
        .where(tickets.status.in_(OPEN_STATUSES))
        .order_by(tickets.created_at, tickets.id)
        .limit(limit)
    )
    if client_id is not None:
        query = query.where(tickets.client_id == client_id)
    return [
        Escalation(
            **{
                **row._asdict(),
                "status": EscalationStatus(row.status),
                "reason": EscalationReason(row.reason),
            }
        )
        for row in await connection.execute(query)
    ]


async def decisions_not_taken_up(
    connection: AsyncConnection, *, before: datetime, limit: int
) -> list[DecidedEscalation]:
    """Decisions of all clients whose workflow has not taken them up, oldest first."""
    rows = await connection.execute(
        _DECIDED.where(
            escalation_tickets.c.decided_at < before, escalation_tickets.c.taken_up_at.is_(None)
        )
        .order_by(escalation_tickets.c.decided_at)
        .limit(limit)
    )
    return [_as_decided(row) for row in rows]


async def give_up(connection: AsyncConnection, escalation_id: str, now: datetime) -> None:
    """Note that no run is left to take a decision up, so that it is not looked at again."""
    await connection.execute(
        sa.update(escalation_tickets)
        .where(escalation_tickets.c.id == escalation_id)
        .values(taken_up_at=now)
    )


_DECIDED: Final = (
    sa.select(
        escalation_tickets.c.id,
        escalation_tickets.c.client_id,
        escalation_tickets.c.run_id,
        engine_runs.c.event_id,
        playbook_versions.c.threshold,
    )
    .join(
        engine_runs,
        sa.and_(
            engine_runs.c.client_id == escalation_tickets.c.client_id,
            engine_runs.c.id == escalation_tickets.c.run_id,
        ),
    )
    .join(
        playbook_versions,
        sa.and_(
            playbook_versions.c.client_id == engine_runs.c.client_id,
            playbook_versions.c.playbook_id == engine_runs.c.playbook_id,
            playbook_versions.c.version == engine_runs.c.playbook_version,
        ),
    )
)


async def _decided(connection: AsyncConnection, escalation_id: str) -> DecidedEscalation:
    found = await connection.execute(_DECIDED.where(escalation_tickets.c.id == escalation_id))
    return _as_decided(found.one())


def _as_decided(row: sa.Row[*tuple[Any, ...]]) -> DecidedEscalation:
    ref = RunRef(client_id=row.client_id, event_id=row.event_id, run_id=row.run_id)
    return DecidedEscalation(row.id, ref, row.threshold)
