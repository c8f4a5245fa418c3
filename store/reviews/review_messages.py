"""The messages shown with a review: earlier messages of the conversation, and messages that arrived
while the review was open."""

from typing import Final

import sqlalchemy as sa

from domain.runs.conversation import MAX_TURN_CHARS, MAX_TURNS
from domain.runs.run import RunStatus
from store.reviews.escalations import EXECUTED, RUN_OF_TICKET
from store.reviews.tables import escalation_tickets
from store.runs.tables import engine_messages, engine_runs

MAX_JOINED: Final = 50
_MAX_JOINED_CHARS: Final = 20_000
_TICKETS: Final = escalation_tickets.c

# This query runs separately. When it was part of the query for messages, a generic plan on tables
# without statistics compared all of the client's messages with each other.
_INBOUND: Final = (
    sa.select(
        engine_messages.c.client_id,
        engine_messages.c.conversation_id,
        engine_messages.c.event_id,
        engine_messages.c.created_at,
        _TICKETS.latest_event_id,
        _TICKETS.created_at.label("asked_at"),
        _TICKETS.decision,
        _TICKETS.decided_at,
    )
    .select_from(escalation_tickets)
    .join(engine_runs, RUN_OF_TICKET)
    .join(
        engine_messages,
        sa.and_(
            engine_messages.c.client_id == engine_runs.c.client_id,
            engine_messages.c.event_id == engine_runs.c.event_id,
            engine_messages.c.direction == "inbound",
        ),
    )
    .where(
        _TICKETS.client_id == sa.bindparam("client_id"), _TICKETS.id == sa.bindparam("review_id")
    )
    .cte("inbound")
    .prefix_with("MATERIALIZED")
)
_OF_CONVERSATION: Final = _INBOUND.join(
    engine_messages,
    sa.and_(
        engine_messages.c.client_id == _INBOUND.c.client_id,
        engine_messages.c.conversation_id == _INBOUND.c.conversation_id,
        engine_messages.c.event_id.is_distinct_from(_INBOUND.c.event_id),
    ),
)
EARLIER: Final = (
    sa.select(
        engine_messages.c.author, sa.func.left(engine_messages.c.body, MAX_TURN_CHARS).label("body")
    )
    .select_from(_OF_CONVERSATION)
    .where(
        # Also include earlier runs' answers that were sent between the arrival of the review's
        # message and the opening of the review.
        sa.or_(
            engine_messages.c.created_at <= _INBOUND.c.created_at,
            sa.and_(
                engine_messages.c.direction == "outbound",
                engine_messages.c.created_at <= _INBOUND.c.asked_at,
            ),
        ),
        engine_messages.c.body != "",
    )
    .order_by(
        engine_messages.c.created_at.desc(),
        engine_messages.c.event_id.desc(),
        engine_messages.c.direction.desc(),
    )
    .limit(MAX_TURNS)
)
# Messages that joined another review are included, because two reviews may have been open at the
# same time. Messages that arrived after an approval belong to a different review.
_LATER_RUN: Final = engine_runs.alias("later_run")
# Only actions on orders are included because the replies are part of the review's own plan.
_LATER_PLAN: Final[sa.ColumnElement[object]] = sa.literal_column("""
    (SELECT coalesce(jsonb_agg(step ORDER BY place), '[]')
     FROM jsonb_array_elements(later_run.plan) WITH ORDINALITY AS planned (step, place)
     WHERE step ->> 'order_id' IS NOT NULL)
""").label("plan")
JOINED: Final = (
    sa.select(
        engine_messages.c.event_id,
        sa.func.left(engine_messages.c.body, _MAX_JOINED_CHARS).label("text"),
        engine_messages.c.created_at.label("received_at"),
        _LATER_RUN.c.covered,
        _LATER_RUN.c.in_draft,
        sa.and_(
            _LATER_RUN.c.aside_of.is_not(None), _LATER_RUN.c.status == RunStatus.COMPLETED
        ).label("answered"),
        _LATER_RUN.c.classification,
        _LATER_RUN.c.intent,
        _LATER_PLAN,
    )
    .select_from(
        _OF_CONVERSATION.join(
            _LATER_RUN,
            sa.and_(
                _LATER_RUN.c.client_id == engine_messages.c.client_id,
                _LATER_RUN.c.event_id == engine_messages.c.event_id,
                sa.or_(_LATER_RUN.c.joined_review.is_not(None), _LATER_RUN.c.aside_of.is_not(None)),
            ),
        )
    )
    .where(
        engine_messages.c.direction == "inbound",
        sa.or_(
            engine_messages.c.event_id == _INBOUND.c.latest_event_id,
            sa.and_(
                engine_messages.c.created_at >= _INBOUND.c.created_at,
                sa.or_(
                    _INBOUND.c.decision.is_(None),
                    _INBOUND.c.decision.not_in(EXECUTED),
                    engine_messages.c.created_at <= _INBOUND.c.decided_at,
                ),
            ),
        ),
    )
    .order_by(engine_messages.c.created_at.desc(), engine_messages.c.event_id.desc())
    .limit(MAX_JOINED)
)
