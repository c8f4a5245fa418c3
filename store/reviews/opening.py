"""The initial values of a new review, which are taken from its run."""

from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB

from domain.agent.policy_decision import Ruling
from store.reviews.tables import escalation_tickets
from store.runs.runs import HUMAN_TEXT
from store.runs.tables import engine_messages, engine_runs

_TICKETS: Final = escalation_tickets.c


def standing_of_run(**values: object) -> "sa.Select[*tuple[Any, ...]]":
    """Return a query for the initial column values of a review: `values`, and the values read from
    the review's run."""
    step = sa.func.jsonb_array_elements(engine_runs.c.plan).table_valued(
        sa.column("value", JSONB), name="step"
    )
    amount = step.c.value["amount"]
    at_stake = (
        sa.select(
            amount["minor"].astext.cast(sa.BigInteger).label("minor"),
            amount["currency"].astext.label("currency"),
        )
        .where(sa.func.jsonb_typeof(amount) == "object")
        .order_by(sa.desc("minor"))
        .limit(1)
        .lateral("at_stake")
    )
    # The messages that joined an earlier round also belong to the new round.
    before = (
        sa.select(_TICKETS.latest_event_id, _TICKETS.urgent, _TICKETS.sensitive)
        .where(_TICKETS.client_id == engine_runs.c.client_id, _TICKETS.run_id == engine_runs.c.id)
        .order_by(_TICKETS.round.desc())
        .limit(1)
        .lateral("before")
    )
    conversation = (
        sa.select(engine_messages.c.conversation_id)
        .where(
            engine_messages.c.client_id == engine_runs.c.client_id,
            engine_messages.c.event_id == engine_runs.c.event_id,
            engine_messages.c.direction == "inbound",
        )
        .scalar_subquery()
    )
    sensitive = sa.func.coalesce(engine_runs.c.sensitive, before.c.sensitive)
    needs_second = engine_runs.c.verdicts.contains([{"ruling": Ruling.NEEDS_SECOND}])
    return sa.select(
        *(sa.literal(value).label(name) for name, value in values.items()),
        engine_runs.c.id.label("run_id"),
        conversation.label("conversation_id"),
        sa.func.coalesce(HUMAN_TEXT, engine_runs.c.draft, "").label("draft"),
        engine_runs.c.plan,
        needs_second.label("needs_second"),
        at_stake.c.minor.label("amount"),
        at_stake.c.currency,
        before.c.latest_event_id,
        sa.or_(sensitive.is_not(None), sa.func.coalesce(before.c.urgent, sa.false())).label(
            "urgent"
        ),
        sensitive.label("sensitive"),
    ).select_from(engine_runs.outerjoin(at_stake, sa.true()).outerjoin(before, sa.true()))
