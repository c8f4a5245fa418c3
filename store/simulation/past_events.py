"""Past events of one client, with the agent's input at the time. Three statements read a page.

Later messages, facts and refunds are omitted. Only the event's thread and the preceding month of
the action ledger are read, so the cost does not grow with the history.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

import sqlalchemy as sa
from pydantic import TypeAdapter

from domain.agent.attachment_preview import AttachmentPreview
from domain.agent.brain import Turn
from domain.agent.escalation_reason import EscalationReason
from domain.agent.plan import PlannedAction
from domain.agent.policy_context import Spent
from domain.agent.thread import PendingProposal, Thread
from domain.core.ids import first_ulid
from domain.intake.attachment import Attachment
from domain.intake.customer_email import customer_key
from domain.intake.event import UnifiedEvent
from domain.integrations.order import Lookup
from domain.runs.conversation import MAX_TURN_CHARS, MAX_TURNS, TURNS_KEPT
from domain.runs.run import EventOutcome, RunStatus
from domain.simulation.outcome import OutcomeStatus
from domain.simulation.replay_facts import ReplayEnd, ReplayFacts, end_of, money_of
from domain.simulation.replay_tally import ReplaySkip
from store.core.repository import TenantRepository
from store.intake.attachments import attachments_of
from store.simulation.past_spending import PastSpending, SpentBefore

# Clocks differ between machines, so an id may be slightly older or newer than its row's time. The
# range of ids must therefore be wider than the period.
_MARGIN: Final = timedelta(days=1)
_HOUR: Final = timedelta(hours=1)

# Messages are filtered by author. With a filter by direction, PostgreSQL might search all of the
# client's inbound messages to find the last message of a thread.
_PAGE: Final = sa.text("""
    SELECT event.id, event.event_type, event.outcome, event.unified, event.subject, event.text,
           event.erased_at IS NOT NULL AS is_erased, event.received_at,
           run.id AS run_id, run.playbook_version, version.name AS playbook,
           run.answer ->> 'status' AS status, run.handoff_reason, run.joined_review,
           run.classification, run.confidence, run.draft, run.plan, run.lookup, run.proposal,
           inbound.created_at AS at, talk.turns, talk.automatic_turns,
           previous.thread_after, reply.id IS NOT NULL AS has_reached
    FROM (
        SELECT * FROM engine_events
        WHERE client_id = :client_id AND id > :after AND id < :bound
          AND received_at >= :since AND received_at < :until
        ORDER BY id LIMIT :limit
    ) AS event
    LEFT JOIN engine_runs AS run ON run.client_id = :client_id AND run.event_id = event.id
    LEFT JOIN playbook_versions AS version
      ON version.client_id = :client_id AND version.playbook_id = run.playbook_id
     AND version.version = run.playbook_version
    LEFT JOIN engine_messages AS inbound
      ON inbound.client_id = :client_id AND inbound.event_id = event.id
     AND inbound.author = 'customer'
    LEFT JOIN LATERAL (
        SELECT jsonb_agg(jsonb_build_object('author', author, 'body', left(body, :chars))
                         ORDER BY created_at, event_id, direction) AS turns,
               count(*) FILTER (WHERE direction = 'outbound' AND author = 'agent'
                                  AND created_at > inbound.created_at - CAST(:hour AS interval)
               ) AS automatic_turns
        FROM (
            SELECT author, body, created_at, event_id, direction
            FROM engine_messages
            WHERE client_id = :client_id AND conversation_id = inbound.conversation_id
              AND body <> '' AND event_id IS DISTINCT FROM event.id
              AND created_at < inbound.created_at
              AND created_at > inbound.created_at - CAST(:kept AS interval)
            ORDER BY created_at DESC, event_id DESC, direction DESC
            LIMIT :turns
        ) AS latest
    ) AS talk ON true
    LEFT JOIN LATERAL (
        SELECT earlier.event_id, earlier_run.thread_after
        FROM engine_messages AS earlier
        JOIN engine_runs AS earlier_run
          ON earlier_run.client_id = :client_id AND earlier_run.event_id = earlier.event_id
        WHERE earlier.client_id = :client_id AND earlier.conversation_id = inbound.conversation_id
          AND earlier.author = 'customer' AND earlier.event_id <> event.id
          AND earlier.created_at < inbound.created_at
          AND earlier_run.thread_after IS NOT NULL AND earlier_run.status <> 'received'
        ORDER BY earlier.created_at DESC, earlier.event_id DESC
        LIMIT 1
    ) AS previous ON true
    LEFT JOIN engine_messages AS reply
      ON reply.client_id = :client_id AND reply.event_id = previous.event_id
     AND reply.author = 'agent' AND reply.created_at < inbound.created_at
    ORDER BY event.id
""")
_COUNT: Final = sa.text("""
    SELECT count(*) FROM engine_events
    WHERE client_id = :client_id AND id > :after AND id < :bound
      AND received_at >= :since AND received_at < :until
""")
_PLAN: Final[TypeAdapter[tuple[PlannedAction, ...]]] = TypeAdapter(tuple[PlannedAction, ...])
_TURNS: Final[TypeAdapter[tuple[Turn, ...]]] = TypeAdapter(tuple[Turn, ...])


@dataclass(frozen=True, slots=True)
class SeenThen:
    """The agent's input for a run at the time of its message. `automatic_turns` is the number of
    the agent's answers in the thread in the hour before the message."""

    event: UnifiedEvent
    run_id: str
    turns: tuple[Turn, ...]
    thread: Thread
    lookup: Lookup | None
    spent: Spent
    automatic_turns: int


@dataclass(frozen=True, slots=True)
class PastEvent:
    """A past event to replay, which arrived at `at`. `before` is the agent's first outcome, without
    later human decisions.

    `seen` is the agent's input. It is None for an event that cannot be replayed (`skip`), or that
    no playbook matched.
    """

    id: str
    event_type: str
    at: datetime
    before: ReplayFacts
    draft: str = ""
    files: tuple[AttachmentPreview, ...] = ()
    skip: ReplaySkip | None = None
    seen: SeenThen | None = None


@dataclass(frozen=True, slots=True)
class PastSpan:
    """The events that arrived at or after `since` and before `until`."""

    since: datetime
    until: datetime


class PastEvents(TenantRepository):
    async def count(self, span: PastSpan) -> int:
        """Return the number of events in the period."""
        return int(await self._connection.scalar(_COUNT, self._within(span, None)) or 0)

    async def page(self, span: PastSpan, *, after: str | None, limit: int) -> tuple[PastEvent, ...]:
        """Return the next page of events in the order of arrival, starting after this id."""
        given: dict[str, object] = {
            **self._within(span, after),
            "limit": limit,
            "turns": MAX_TURNS,
            "chars": MAX_TURN_CHARS,
            "kept": TURNS_KEPT,
            "hour": _HOUR,
        }
        rows = (await self._connection.execute(_PAGE, given)).all()
        lookups = {row.id: _lookup(row) for row in rows if row.run_id}
        spent = await self._spent(rows, lookups)
        files = await attachments_of(self._connection, self._tenant, [row.id for row in rows])
        return tuple(
            PastEvent(
                id=row.id,
                event_type=row.event_type,
                at=row.at or row.received_at,
                before=_before(row),
                draft=row.draft or "",
                files=tuple(map(_shown, files.get(row.id, ()))),
                skip=_skip(row),
                seen=_seen(row, lookups.get(row.id), spent.get(row.run_id, Spent())),
            )
            for row in rows
        )

    def _within(self, span: PastSpan, after: str | None) -> dict[str, object]:
        return {
            "client_id": self._tenant,
            "after": after or first_ulid(span.since - _MARGIN),
            "bound": first_ulid(span.until + _MARGIN),
            "since": span.since,
            "until": span.until,
        }

    async def _spent(
        self,
        rows: "Sequence[sa.Row[*tuple[Any, ...]]]",
        lookups: Mapping[str, Lookup | None],
    ) -> dict[str, Spent]:
        """Return the earlier refunds, keyed by run. Only runs whose order was found are included
        because other runs cannot act on an order."""
        wanted = [
            SpentBefore(
                run_id=row.run_id,
                order_key=lookup.order.key,
                customer=customer_key((row.unified or {}).get("customer_email")),
                currency=lookup.order.refundable.currency,
                at=row.at or row.received_at,
            )
            for row in rows
            if (lookup := lookups.get(row.id)) is not None and lookup.order is not None
        ]
        return await PastSpending(self._connection, self._tenant).before(wanted)


def _seen(row: "sa.Row[*tuple[Any, ...]]", lookup: Lookup | None, spent: Spent) -> SeenThen | None:
    if row.outcome == EventOutcome.NO_PLAYBOOK or _skip(row) is not None:
        return None
    return SeenThen(
        event=UnifiedEvent.model_validate(
            {**row.unified, "subject": row.subject, "text": row.text or ""}
        ),
        run_id=row.run_id,
        turns=_TURNS.validate_python(row.turns or []),
        thread=_thread(row),
        lookup=lookup,
        spent=spent,
        automatic_turns=row.automatic_turns or 0,
    )


def _skip(row: "sa.Row[*tuple[Any, ...]]") -> ReplaySkip | None:
    if row.is_erased:
        return ReplaySkip.ERASED
    if row.outcome == EventOutcome.NO_PLAYBOOK:
        return None
    if row.joined_review is not None:
        return ReplaySkip.JOINED
    if row.run_id is None or row.status is None:
        return ReplaySkip.UNFINISHED
    if row.classification is None or row.unified is None:
        return ReplaySkip.UNTHOUGHT
    return None


def _before(row: "sa.Row[*tuple[Any, ...]]") -> ReplayFacts:
    """Return the agent's own outcome for a run, without human decisions. A run whose execution
    failed is treated as answered."""
    if row.outcome == EventOutcome.NO_PLAYBOOK:
        return ReplayFacts(end=ReplayEnd.NO_PLAYBOOK)
    plan = _PLAN.validate_python(row.plan or [])
    reason = EscalationReason(row.handoff_reason) if row.handoff_reason else None
    asked = row.status == RunStatus.NEEDS_REVIEW and reason is not EscalationReason.TOOL_FAILURE
    status = OutcomeStatus.NEEDS_REVIEW if asked else OutcomeStatus.COMPLETED
    return ReplayFacts(
        end=end_of(status, plan),
        playbook=row.playbook,
        version=row.playbook_version,
        reason=reason if asked else None,
        classification=row.classification or "",
        confidence=row.confidence or 0,
        actions=tuple(action.kind for action in plan),
        money=money_of(plan),
    )


def _thread(row: "sa.Row[*tuple[Any, ...]]") -> Thread:
    """Return the thread in its state after the previous message.

    The agent's question is open only if it has reached the customer. The proposal is the one
    pending when this message arrived.
    """
    settled = Thread.model_validate(row.thread_after or {})
    thread = settled if row.has_reached else settled.without_question
    proposal = None if row.proposal is None else PendingProposal.model_validate(row.proposal)
    return thread.model_copy(update={"proposal": proposal})


def _lookup(row: "sa.Row[*tuple[Any, ...]]") -> Lookup | None:
    return Lookup.model_validate(row.lookup) if row.lookup else None


def _shown(file: Attachment) -> AttachmentPreview:
    """Return an attachment without its content, because a replay does not show images to the brain
    again."""
    return AttachmentPreview(name=file.name, media_type=file.media_type, size=file.size)
