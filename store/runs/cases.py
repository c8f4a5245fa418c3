"""The case: all that a step must know of a run, read in one statement."""

from dataclasses import dataclass
from typing import Any, Final

import sqlalchemy as sa
from pydantic import TypeAdapter

from domain.agent.brain import Category, Turn
from domain.agent.escalation_reason import EscalationReason
from domain.agent.plan import PlannedAction
from domain.agent.rulebook import Rulebook
from domain.agent.template import clean_value
from domain.intake.event import UnifiedEvent
from domain.integrations.order import Lookup
from domain.runs.errors import RunNotFound
from domain.runs.run import RunDraft
from store.core.repository import TenantRepository
from store.intake.tables import engine_events
from store.playbooks.tables import playbook_versions
from store.reviews.tables import escalation_tickets
from store.runs.runs import EVENT_OF_RUN, HUMAN_TEXT, VERSION_OF_RUN
from store.runs.tables import ai_conversations, engine_messages, engine_runs
from store.tenants.tables import client_settings, clients

_PLAN: TypeAdapter[tuple[PlannedAction, ...]] = TypeAdapter(tuple[PlannedAction, ...])
_TURNS: TypeAdapter[tuple[Turn, ...]] = TypeAdapter(tuple[Turn, ...])


@dataclass(frozen=True, slots=True)
class Case:
    """A run, its event and its conversation.

    `draft` is None before the brain has answered. `human_text` holds the words that a human chose
    instead of it, None where the draft stands. `turns` are those before this event, `summary` what
    came of the tickets before it. `approvals`: how many people approved the plan.
    `brain_budget_micros`: of the client, where it has one of its own. `sender_name`: who mails to
    the customer are from. `system_prompt`: the client's instructions to a language model.
    """

    event: UnifiedEvent
    brand_name: str
    sender_name: str
    system_prompt: str
    rulebook: Rulebook
    turns: tuple[Turn, ...]
    summary: str
    lookup: Lookup | None
    draft: RunDraft | None
    approvals: int
    brain_budget_micros: int | None
    human_text: str | None

    @property
    def words(self) -> str:
        """What the customer is to be told: a human's words before the brain's."""
        if self.human_text is not None:
            return self.human_text
        return "" if self.draft is None else self.draft.text


class CaseRepository(TenantRepository):
    async def read(self, run_id: str) -> Case:
        """The case of a run whose event has been normalized. Raises RunNotFound, also for one
        whose customer is being erased."""
        row = await self._one(
            _CASE, {"client_id": self._tenant, "run_id": run_id}, RunNotFound(run_id)
        )
        unified = {**row.unified, "subject": row.subject, "text": row.text}
        return Case(
            event=UnifiedEvent.model_validate(unified),
            brand_name=row.brand_name,
            sender_name=clean_value(row.display_name or "") or row.brand_name,
            system_prompt=row.system_prompt or "",
            rulebook=Rulebook.model_validate(row.rulebook),
            turns=_TURNS.validate_python(row.turns or []),
            summary=row.summary or "",
            lookup=Lookup.model_validate(row.lookup) if row.lookup else None,
            approvals=row.approvals or 0,
            brain_budget_micros=row.brain_budget_micros,
            draft=_draft(row),
            human_text=row.human_text,
        )


# Of the round that was decided last: one for who decided, one for who had approved before.
_APPROVALS: Final = (
    sa.select(
        1
        + sa.func.coalesce(
            escalation_tickets.c.first_approved_by != escalation_tickets.c.decided_by, sa.false()
        ).cast(sa.Integer)
    )
    .where(
        escalation_tickets.c.client_id == engine_runs.c.client_id,
        escalation_tickets.c.run_id == engine_runs.c.id,
        escalation_tickets.c.status.in_(("approved", "edited")),
    )
    .order_by(escalation_tickets.c.round.desc())
    .limit(1)
    .scalar_subquery()
)

_CASE: Final = (
    sa.select(
        engine_events.c.unified,
        engine_events.c.subject,
        engine_events.c.text,
        clients.c.brand_name,
        client_settings.c.branding["display_name"].astext.label("display_name"),
        client_settings.c.system_prompt,
        clients.c.brain_budget_micros,
        playbook_versions.c.rulebook,
        ai_conversations.c.turns,
        ai_conversations.c.summary,
        engine_runs.c.lookup,
        engine_runs.c.classification,
        engine_runs.c.confidence,
        engine_runs.c.draft,
        engine_runs.c.doubt,
        engine_runs.c.hold,
        engine_runs.c.plan,
        HUMAN_TEXT.label("human_text"),
        _APPROVALS.label("approvals"),
    )
    .select_from(engine_runs)
    .join(playbook_versions, VERSION_OF_RUN)
    .join(clients, clients.c.id == engine_runs.c.client_id)
    .outerjoin(client_settings, client_settings.c.client_id == engine_runs.c.client_id)
    .join(engine_events, EVENT_OF_RUN & engine_events.c.erased_at.is_(None))
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


def _draft(row: sa.Row[*tuple[Any, ...]]) -> RunDraft | None:
    if row.classification is None:
        return None
    return RunDraft(
        classification=Category(row.classification),
        confidence=row.confidence,
        text=row.draft,
        doubt=EscalationReason(row.doubt) if row.doubt else None,
        hold=EscalationReason(row.hold) if row.hold else None,
        plan=_PLAN.validate_python(row.plan),
    )
