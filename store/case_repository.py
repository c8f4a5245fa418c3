"""The case: all that a step must know of a run, read in one statement."""

from dataclasses import dataclass
from typing import Any, Final

import sqlalchemy as sa
from pydantic import TypeAdapter
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.brain import Category, Turn
from domain.escalation import EscalationReason
from domain.event import UnifiedEvent
from domain.ids import TenantId
from domain.plan import PlannedAction
from domain.run import Draft
from store.run_repository import HUMAN_TEXT
from store.tables import ai_conversations, clients, engine_events, engine_messages, engine_runs

_PLAN: TypeAdapter[tuple[PlannedAction, ...]] = TypeAdapter(tuple[PlannedAction, ...])
_TURNS: TypeAdapter[tuple[Turn, ...]] = TypeAdapter(tuple[Turn, ...])


@dataclass(frozen=True, slots=True)
class Case:
    """A run, its event and its conversation.

    `draft` is None before the brain has answered. `human_text` holds the words that a human chose
    instead of it, None where the draft stands. `turns` are those before this event.
    """

    event: UnifiedEvent
    brand_name: str
    turns: tuple[Turn, ...]
    draft: Draft | None
    human_text: str | None

    @property
    def words(self) -> str:
        """What the customer is to be told: a human's words before the brain's."""
        if self.human_text is not None:
            return self.human_text
        return "" if self.draft is None else self.draft.text


class CaseRepository:
    def __init__(self, connection: AsyncConnection, tenant: TenantId) -> None:
        self._connection = connection
        self._tenant = tenant

    async def read(self, run_id: str) -> Case:
        """The case of a run whose event has been normalized."""
        found = await self._connection.execute(_CASE, {"client_id": self._tenant, "run_id": run_id})
        row = found.one()
        unified = {**row.unified, "subject": row.subject, "text": row.text}
        return Case(
            event=UnifiedEvent.model_validate(unified),
            brand_name=row.brand_name,
            turns=_TURNS.validate_python(row.turns or []),
            draft=_draft(row),
            human_text=row.human_text,
        )


_CASE: Final = (
    sa.select(
        engine_events.c.unified,
        engine_events.c.subject,
        engine_events.c.text,
        clients.c.brand_name,
        ai_conversations.c.turns,
        engine_runs.c.classification,
        engine_runs.c.confidence,
        engine_runs.c.draft,
        engine_runs.c.doubt,
        engine_runs.c.plan,
        HUMAN_TEXT.label("human_text"),
    )
    .select_from(engine_runs)
    .join(clients, clients.c.id == engine_runs.c.client_id)
    .join(
        engine_events,
        sa.and_(
            engine_events.c.client_id == engine_runs.c.client_id,
            engine_events.c.id == engine_runs.c.event_id,
        ),
    )
    .outerjoin(
        engine_messages,
        sa.and_(
            engine_messages.c.client_id == engine_runs.c.client_id,
            engine_messages.c.event_id == engine_runs.c.event_id,
            engine_messages.c.direction == "inbound",
        ),
    )
    .outerjoin(
        ai_conversations,
        sa.and_(
            ai_conversations.c.client_id == engine_messages.c.client_id,
            ai_conversations.c.id == engine_messages.c.conversation_id,
        ),
    )
    .where(
        engine_runs.c.client_id == sa.bindparam("client_id"),
        engine_runs.c.id == sa.bindparam("run_id"),
    )
)


def _draft(row: sa.Row[*tuple[Any, ...]]) -> Draft | None:
    if row.classification is None:
        return None
    return Draft(
        classification=Category(row.classification),
        confidence=row.confidence,
        text=row.draft,
        doubt=EscalationReason(row.doubt) if row.doubt else None,
        plan=_PLAN.validate_python(row.plan),
    )
