"""Shadow drafts: the agent's hypothetical result in shadow mode, and the human agents' actual
result."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert

from domain.agent.plan import ON_ORDERS, StepState
from domain.core.money import Money
from domain.integrations.order import Lookup, Order
from domain.integrations.providers import Provider
from domain.learning.comparison import (
    MAX_SENT,
    Comparison,
    OrderEffect,
    PeopleDid,
    ShadowThought,
    compare_with_people,
)
from domain.reviews.escalation import Decision
from store.core.repository import TenantRepository
from store.intake.tables import engine_events
from store.learning.tables import shadow_drafts
from store.runs.runs import EVENT_OF_RUN, HUMAN_TEXT
from store.runs.tables import action_ledger, engine_runs

ANSWER_WITHIN: Final = timedelta(days=3)
"""How soon after the customer's message a human agent must write for the text to count as the
answer. A later message is assumed to concern another topic."""

MOST_HEARD: Final = 50
"""Maximum number of drafts that one message from a human agent completes: the latest drafts."""

_DID: Final = {
    Decision.APPROVE: PeopleDid.ANSWERED,
    Decision.EDIT: PeopleDid.ANSWERED,
    Decision.REJECT: PeopleDid.HANDED_OVER,
    Decision.EXPIRE: PeopleDid.EXPIRED,
}
_DRAFTS: Final = shadow_drafts.c
_RUN_OF_DRAFT: Final = sa.and_(
    engine_runs.c.client_id == _DRAFTS.client_id, engine_runs.c.id == _DRAFTS.run_id
)
# The query excludes customers who are being erased.
_ONE: Final = (
    sa.select(
        shadow_drafts,
        engine_runs.c.lookup,
        engine_runs.c.received_at,
        HUMAN_TEXT.label("human_text"),
    )
    .join(engine_runs, _RUN_OF_DRAFT)
    .join(engine_events, EVENT_OF_RUN & engine_events.c.erased_at.is_(None))
    .where(
        _DRAFTS.client_id == sa.bindparam("tenant"),
        _DRAFTS.run_id == sa.bindparam("run"),
    )
    .with_for_update(of=shadow_drafts)
)
_OF_CONVERSATION: Final = sa.text(f"""
    SELECT draft.run_id, draft.compared_at IS NOT NULL AS is_compared
    FROM engine_messages AS inbound
    JOIN engine_runs AS run
      ON run.client_id = inbound.client_id AND run.event_id = inbound.event_id
    JOIN engine_events AS event
      ON event.client_id = run.client_id AND event.id = run.event_id AND event.erased_at IS NULL
    JOIN shadow_drafts AS draft ON draft.client_id = run.client_id AND draft.run_id = run.id
    WHERE inbound.client_id = :tenant AND inbound.conversation_id = :conversation
      AND inbound.direction = 'inbound' AND inbound.created_at > :since
      AND draft.sent IS NULL AND draft.created_at > :since
    ORDER BY draft.run_id DESC LIMIT {MOST_HEARD}
""")  # noqa: S608 - a constant is put in, no value
_OF_TICKET: Final = sa.text(f"""
    SELECT draft.run_id, draft.compared_at IS NOT NULL AS is_compared
    FROM shadow_drafts AS draft
    JOIN engine_runs AS run ON run.client_id = draft.client_id AND run.id = draft.run_id
    JOIN engine_events AS event ON event.client_id = run.client_id AND event.id = run.event_id
    WHERE draft.client_id = :tenant AND draft.sent IS NULL AND draft.created_at > :since
      AND event.unified ->> 'platform' = :platform AND event.unified ->> 'ticket_id' = :ticket
      AND event.unified -> 'ticket_named' = 'true' AND event.erased_at IS NULL
      AND event.unified -> 'may_name_tickets' IS DISTINCT FROM 'false'
    ORDER BY draft.run_id DESC LIMIT {MOST_HEARD}
""")  # noqa: S608 - a constant is put in, no value


class ShadowDrafts(TenantRepository):
    async def keep(
        self, run_id: str, playbook: tuple[str, int], thought: ShadowThought, now: datetime
    ) -> None:
        """Store the agent's hypothetical result for a run. `playbook` is the playbook's id and
        version."""
        fields = thought.model_dump(mode="json")
        await self._connection.execute(
            insert(shadow_drafts)
            .values(
                client_id=self._tenant,
                run_id=run_id,
                playbook_id=playbook[0],
                playbook_version=playbook[1],
                created_at=now,
                **fields,
            )
            .on_conflict_do_nothing()
        )

    async def settle(self, run_id: str, decision: Decision, now: datetime) -> None:
        """Compare a run's shadow draft, if any, with the human agents' result. Idempotent."""
        row = await self._row(run_id)
        if row is None or row.compared_at is not None:
            return
        did, sent = _DID[decision], row.human_text
        if not did.answered and row.sent is not None:
            did, sent = PeopleDid.ANSWERED_ELSEWHERE, row.sent
        await self._compare(row, did, sent, now)

    async def heard(self, platform: Provider, ticket_id: str, text: str, now: datetime) -> None:
        """Store the first text that human agents wrote in a helpdesk ticket after the customer's
        message. If the draft's review has ended, compare them now. Only the ticket's latest drafts
        are used."""
        if text.strip():
            await self._heard(_OF_TICKET, text, now, platform=platform, ticket=ticket_id)

    async def replied(self, conversation_id: str, text: str, now: datetime) -> None:
        """Store a member's reply to the customer in a conversation, like `heard`. The caller must
        have locked the conversation."""
        await self._heard(_OF_CONVERSATION, text, now, conversation=conversation_id)

    async def _heard(self, query: sa.TextClause, text: str, now: datetime, **where: str) -> None:
        given = {"tenant": self._tenant, "since": now - ANSWER_WITHIN, **where}
        # The drafts are locked in the same order by all callers.
        for found in reversed((await self._connection.execute(query, given)).all()):
            row = await self._row(found.run_id)
            if row is None or row.sent is not None:
                continue
            await self._set(found.run_id, sent=text[:MAX_SENT])
            if found.is_compared:
                await self._compare(row, PeopleDid.ANSWERED_ELSEWHERE, text[:MAX_SENT], now)

    async def _row(self, run_id: str) -> "sa.Row[*tuple[Any, ...]] | None":
        given = {"tenant": self._tenant, "run": run_id}
        return (await self._connection.execute(_ONE, given)).one_or_none()

    async def _compare(
        self, row: "sa.Row[*tuple[Any, ...]]", did: PeopleDid, sent: str | None, now: datetime
    ) -> None:
        thought = ShadowThought.model_validate(row, from_attributes=True)
        order = Lookup.model_validate(row.lookup).order if row.lookup else None
        effects = await self._effects(order, row.received_at) if order else ()
        comparison: Comparison = compare_with_people(thought, did, sent, effects)
        await self._set(
            row.run_id,
            decision=did,
            sent=sent,
            comparison=comparison.model_dump(mode="json"),
            compared_at=now,
        )

    async def _effects(self, order: Order, since: datetime) -> Sequence[OrderEffect]:
        """Return the actions executed on an order since `since`, the time of the customer's
        message. They are read from the action ledger."""
        entry = action_ledger.c
        rows = await self._connection.execute(
            sa.select(entry.action, entry.amount, entry.currency).where(
                entry.client_id == self._tenant,
                entry.order_key == order.key,
                entry.action.in_([kind.value for kind in ON_ORDERS]),
                entry.state == StepState.DONE,
                entry.planned_at >= since,
            )
        )
        return [
            OrderEffect(
                kind=row.action,
                amount=Money(minor=row.amount, currency=row.currency) if row.currency else None,
            )
            for row in rows
        ]

    async def _set(self, run_id: str, **values: object) -> None:
        await self._connection.execute(
            sa.update(shadow_drafts)
            .where(_DRAFTS.client_id == self._tenant, _DRAFTS.run_id == run_id)
            .values(**values)
        )
