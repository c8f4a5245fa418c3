"""Reviews for display: a paginated queue, and a single review with its details."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.agent.escalation_reason import EscalationReason
from domain.agent.order_changes import order_after
from domain.integrations.order import LookupState
from domain.reviews.errors import EscalationNotFound
from domain.reviews.escalation import OPEN_STATUSES
from domain.reviews.review import QueuePlace, Review, ReviewSummary, Wanted
from store.intake.attachments import attachments_of
from store.intake.tables import engine_events
from store.reviews.escalations import LATEST_EVENT, RUN_OF_TICKET, WORDS
from store.reviews.request_authors import AUTHORS
from store.reviews.review_messages import EARLIER, JOINED
from store.reviews.tables import escalation_tickets
from store.runs.order_changes import order_changes
from store.runs.runs import EVENT_OF_RUN
from store.runs.tables import engine_runs
from store.runs.tickets import CUSTOMER_EMAIL

PREVIEW_CHARS: Final = 280


@dataclass(frozen=True, slots=True)
class ReviewFilter:
    """Filters for a list of reviews. None disables a filter. `min_amount` is in minor units of the
    review's currency. If `awaits_second` is true, only reviews with one of two required approvals
    match."""

    status: Wanted = Wanted.OPEN
    reason: EscalationReason | None = None
    classification: str | None = None
    claimed_by: str | None = None
    urgent: bool | None = None
    min_amount: int | None = None
    decided: bool = False
    awaits_second: bool = False


async def list_reviews(
    connection: AsyncConnection,
    client_id: str | None,
    wanted: ReviewFilter,
    *,
    limit: int,
    newest_first: bool = False,
    after: QueuePlace | None = None,
) -> list[ReviewSummary]:
    """Return a page of reviews, for one client or for all clients, urgent ones first, then oldest
    first. If `newest_first` is true, all reviews are sorted by time, newest first.

    `after` is the position of the last review on the previous page. New reviews do not shift the
    pages.
    """
    query = _SUMMARY.where(*_conditions(client_id, wanted)).limit(limit)
    by_time = (_TICKETS.created_at, _TICKETS.id)
    if newest_first:
        query = query.order_by(*(column.desc() for column in by_time))
    else:
        query = query.order_by(_CAN_WAIT, *by_time)
    if after is not None:
        time = (sa.literal(after.created_at), sa.literal(after.id))
        if newest_first:
            query = query.where(sa.tuple_(*by_time) < sa.tuple_(*time))
        else:
            waits = sa.literal(not after.urgent)
            query = query.where(sa.tuple_(_CAN_WAIT, *by_time) > sa.tuple_(waits, *time))
    rows = await connection.execute(query)
    return [ReviewSummary.model_validate(_fields(row)) for row in rows]


async def read_review(connection: AsyncConnection, client_id: str, review_id: str) -> Review:
    """Return a review with its details. Raises EscalationNotFound."""
    this = {"client_id": client_id, "review_id": review_id}
    row = (await connection.execute(_DETAIL, this)).one_or_none()
    if row is None:
        raise EscalationNotFound(review_id)
    earlier = (await connection.execute(EARLIER, this)).mappings().all()
    joined = (await connection.execute(JOINED, this)).mappings().all()
    first: Mapping[str, object] = {
        "event_id": row.event_id,
        "text": row.text,
        "received_at": row.received_at,
    }
    messages: list[Mapping[str, object]] = [first, *(dict(one) for one in joined[::-1])]
    event_ids = [str(one["event_id"]) for one in messages]
    files = await attachments_of(connection, client_id, event_ids)
    fields = {
        **_fields(row),
        "authors": (await connection.scalars(AUTHORS, this)).all(),
        "turns": earlier[::-1],
        "messages": [
            {**one, "attachments": files.get(event_id, ())}
            for one, event_id in zip(messages, event_ids, strict=True)
        ],
    }
    review = Review.model_validate(fields)
    if review.order is None:
        return review
    changes = await order_changes(connection, client_id, review.run_id)
    return review.model_copy(update={"order": order_after(review.order, changes)})


_TICKETS: Final = escalation_tickets.c
# In PostgreSQL, false sorts before true.
_CAN_WAIT: Final = sa.not_(_TICKETS.urgent)
_SUMMARY: Final = (
    sa.select(
        _TICKETS.id,
        _TICKETS.client_id,
        _TICKETS.run_id,
        _TICKETS.status,
        _TICKETS.reason,
        _TICKETS.urgent,
        _TICKETS.sensitive,
        engine_runs.c.model_fault,
        sa.func.coalesce(engine_runs.c.classification, "").label("classification"),
        sa.func.coalesce(engine_runs.c.confidence, 0).label("confidence"),
        CUSTOMER_EMAIL,
        engine_events.c.subject,
        sa.func.coalesce(sa.func.left(engine_events.c.text, PREVIEW_CHARS), "").label("preview"),
        sa.func.coalesce(sa.func.left(WORDS, PREVIEW_CHARS), "").label("draft_preview"),
        _TICKETS.amount,
        _TICKETS.currency,
        sa.and_(_TICKETS.status.in_(sorted(OPEN_STATUSES)), WORDS.regexp_match(r"\S")).label(
            "can_approve"
        ),
        _TICKETS.needs_second,
        _TICKETS.first_approved_by,
        _TICKETS.claimed_by,
        _TICKETS.claimed_at,
        _TICKETS.decided_by,
        _TICKETS.decided_at,
        _TICKETS.created_at,
        _TICKETS.expires_at,
    )
    .select_from(escalation_tickets)
    .join(engine_runs, RUN_OF_TICKET)
    .join(engine_events, EVENT_OF_RUN)
)
_DETAIL: Final = _SUMMARY.add_columns(
    sa.func.coalesce(engine_events.c.text, "").label("text"),
    engine_runs.c.event_id,
    engine_runs.c.received_at,
    LATEST_EVENT.label("latest_message"),
    _TICKETS.revision,
    WORDS.label("draft"),
    sa.func.coalesce(engine_runs.c.draft, "").label("agent_draft"),
    engine_runs.c.answer["acknowledgement"].astext.label("acknowledgement"),
    engine_runs.c.alternatives,
    engine_runs.c.citations,
    engine_runs.c.guard_findings,
    engine_runs.c.verdicts,
    engine_runs.c.steps,
    sa.case(
        (engine_runs.c.lookup["state"].astext == LookupState.FOUND, engine_runs.c.lookup["order"])
    ).label("order"),
    _TICKETS.plan,
    _TICKETS.first_approved_at,
    _TICKETS.note,
).where(_TICKETS.client_id == sa.bindparam("client_id"), _TICKETS.id == sa.bindparam("review_id"))


def _conditions(client_id: str | None, wanted: ReviewFilter) -> list[sa.ColumnElement[bool]]:
    found: list[sa.ColumnElement[bool]] = []
    if client_id is not None:
        found.append(_TICKETS.client_id == client_id)
    if wanted.status is not Wanted.ALL:
        found.append(_TICKETS.status.in_(sorted(wanted.status.statuses)))
    if wanted.reason is not None:
        found.append(_TICKETS.reason == wanted.reason)
    if wanted.classification is not None:
        found.append(engine_runs.c.classification == wanted.classification)
    if wanted.claimed_by is not None:
        found.append(_TICKETS.claimed_by == wanted.claimed_by)
    if wanted.urgent is not None:
        found.append(_TICKETS.urgent == wanted.urgent)
    if wanted.min_amount is not None:
        found.append(_TICKETS.amount >= wanted.min_amount)
    if wanted.decided:
        found.append(_TICKETS.status.not_in(sorted(OPEN_STATUSES)))
    if wanted.awaits_second:
        found.append(_TICKETS.first_approved_by.is_not(None))
    return found


def _fields(row: sa.Row[*tuple[Any, ...]]) -> dict[str, Any]:
    """Return a review's row as a mapping from the model's field names, with the claim and the
    amount as objects."""
    fields = row._asdict()
    by, at = fields.pop("claimed_by"), fields.pop("claimed_at")
    minor, currency = fields.pop("amount"), fields.pop("currency")
    return {
        **fields,
        "claim": {"by": by, "at": at} if by else None,
        "amount": {"minor": minor, "currency": currency} if currency else None,
    }
