"""The notice that announces a review in a chat channel. It contains no customer text."""

from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.agent.escalation_reason import EscalationReason
from domain.core.contracts import RunRef
from domain.core.ids import TenantId
from domain.integrations.integration import IntegrationStatus
from domain.integrations.providers import NOTICE_BOARDS
from domain.reviews.escalation import OPEN_STATUSES
from domain.reviews.review_notice import ReviewNotice
from store.intake.tables import engine_events
from store.integrations.tables import integrations
from store.reviews.escalations import RUN_OF_TICKET
from store.reviews.tables import escalation_tickets
from store.runs.runs import EVENT_OF_RUN
from store.runs.tables import engine_runs
from store.runs.tickets import TICKET_ID

_TICKETS: Final = escalation_tickets.c
_OPEN: Final = (
    sa.select(
        _TICKETS.run_id,
        _TICKETS.reason,
        _TICKETS.urgent,
        sa.func.coalesce(engine_runs.c.classification, "").label("classification"),
        sa.func.coalesce(engine_runs.c.confidence, 0).label("confidence"),
        TICKET_ID,
    )
    .select_from(escalation_tickets)
    .join(engine_runs, RUN_OF_TICKET)
    .join(engine_events, EVENT_OF_RUN)
    .where(
        _TICKETS.client_id == sa.bindparam("client_id"),
        _TICKETS.id == sa.bindparam("review_id"),
        _TICKETS.status.in_(sorted(OPEN_STATUSES)),
    )
)

_TO_NOTIFY: Final = sa.select(_TICKETS.id).where(
    _TICKETS.client_id == sa.bindparam("client_id"),
    _TICKETS.run_id == sa.bindparam("run_id"),
    _TICKETS.round == sa.bindparam("round"),
    sa.exists().where(
        integrations.c.client_id == _TICKETS.client_id,
        integrations.c.provider.in_(sorted(NOTICE_BOARDS)),
        integrations.c.status == IntegrationStatus.CONNECTED.value,
    ),
)


async def review_to_notify(connection: AsyncConnection, ref: RunRef, round_: int) -> str:
    """Return the id of the review that this round of a run opened. Return an empty string if the
    client has not connected a chat channel for notices."""
    this = {"client_id": ref.client_id, "run_id": ref.run_id, "round": round_}
    return await connection.scalar(_TO_NOTIFY, this) or ""


async def open_review_notice(
    connection: AsyncConnection, tenant: TenantId, review_id: str
) -> ReviewNotice | None:
    """Return the notice about an open review. Return None if the review was decided, expired or
    erased."""
    this = {"client_id": tenant, "review_id": review_id}
    row = (await connection.execute(_OPEN, this)).one_or_none()
    if row is None:
        return None
    return ReviewNotice(
        review_id=review_id,
        run_id=row.run_id,
        reason=EscalationReason(row.reason),
        urgent=row.urgent,
        classification=row.classification,
        confidence=row.confidence,
        ticket_id=row.ticket_id,
    )
