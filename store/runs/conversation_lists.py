"""Lists of conversations, sorted by latest message, and the processing of the messages in each
conversation."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

import sqlalchemy as sa
from pydantic import BaseModel, ConfigDict

from domain.agent.escalation_reason import EscalationReason
from domain.agent.plan import ActionKind
from domain.core.money import Money
from domain.intake.event import Channel
from domain.reviews.escalation import EscalationStatus
from domain.runs.errors import ConversationNotFound
from domain.runs.run import RunStatus
from domain.runs.triage import ConversationStatus
from store.core.repository import TenantRepository, owner_of
from store.reviews.tables import IS_OPEN
from store.runs.tables import ai_conversations
from store.runs.triage import STATUS

LOOKED_THROUGH: Final = 2_000
"""Maximum number of conversations that are examined for one page of a filtered list. Some filters
have no index."""

RECEIVED_LOOKED_THROUGH: Final = 2_000
"""Maximum number of runs in work, newest first, that make their conversations unanswered in a
list."""

_LATEST: Final = """
    SELECT id, channel, customer_email, last_message_at, handed_over_at, taken_by, taken_at,
           sentiment, is_critical, closed_at, snoozed_until, assignee, tags, client_id
    FROM ai_conversations
    WHERE client_id = :client_id
      AND (last_message_at, id) <
          (coalesce(CAST(:at AS timestamptz), 'infinity'), CAST(:id AS text))
      {inner}
    ORDER BY last_message_at DESC, id DESC
"""
# The lookups are scalar subqueries because PostgreSQL might execute a join by reading a complete
# table.
_OF_EVENT: Final = """coalesce((
    SELECT conversation_id FROM engine_messages
    WHERE client_id = :client_id AND direction = 'inbound' AND event_id = {event}), '')"""
_EVENT_OF_REVIEW: Final = """(
    SELECT event_id FROM engine_runs WHERE client_id = :client_id AND id = review.run_id)"""
# The conditions start from the client's few open reviews and received runs, because a conversation
# may have very many messages (decision 0133). Older reviews have no `conversation_id`.
_HAS_OPEN_REVIEW: Final = f"""(EXISTS (
        SELECT FROM escalation_tickets AS review
        WHERE review.client_id = talk.client_id AND review.conversation_id = talk.id
          AND review.{IS_OPEN})
    OR talk.id IN (
        SELECT {_OF_EVENT.format(event=_EVENT_OF_REVIEW)}
        FROM escalation_tickets AS review
        WHERE review.client_id = :client_id AND review.conversation_id IS NULL
          AND review.{IS_OPEN}))"""  # noqa: S608 - our own
# Even if the latest message is an answer, an earlier message may still be unanswered.
_IS_UNANSWERED: Final = f"""(said.direction = 'inbound' OR {_HAS_OPEN_REVIEW} OR talk.id IN (
        SELECT {_OF_EVENT.format(event="run.event_id")} FROM (
            SELECT event_id FROM engine_runs
            WHERE client_id = :client_id AND status = '{RunStatus.RECEIVED}'
            ORDER BY id DESC LIMIT {RECEIVED_LOOKED_THROUGH}) AS run))"""  # noqa: S608 - our own names
# A message waits for the team if its review is open. The latest message also waits if no playbook
# matched it, its run failed, or its review was rejected or expired.
_WAITS_FOR_TEAM: Final = f"""({_HAS_OPEN_REVIEW}
    OR (said.direction = 'inbound' AND NOT EXISTS (
        SELECT FROM engine_runs AS run
        WHERE run.client_id = talk.client_id AND run.event_id = said.event_id
          AND run.status = '{RunStatus.RECEIVED}')))"""
_PAGE: Final = f"""
    SELECT talk.*, said.body AS latest, {_IS_UNANSWERED} AS is_unanswered,
           {_WAITS_FOR_TEAM} AS waits_for_team, {STATUS} AS status
    FROM ({_LATEST} LIMIT :looked_through) AS talk
    LEFT JOIN LATERAL (
        SELECT left(body, 200) AS body, direction, event_id FROM engine_messages
        WHERE client_id = talk.client_id AND conversation_id = talk.id
        ORDER BY created_at DESC, direction LIMIT 1
    ) AS said ON true
    WHERE true {{outer}}
    ORDER BY last_message_at DESC, id DESC
    LIMIT :limit
"""  # noqa: S608 - our own names
_END: Final = f"""
    SELECT last_message_at, id FROM ({_LATEST} OFFSET :looked_through - 1 LIMIT 1) AS last
"""  # noqa: S608 - likewise
_STEPS: Final = sa.text("""
    SELECT run.id AS run_id, run.status, run.classification, run.handoff_reason,
           run.sentiment, run.language, run.lookup -> 'order' ->> 'number' AS order_number,
           (SELECT coalesce(jsonb_agg(jsonb_build_object(
                'review_id', id, 'status', status, 'reason', reason, 'created_at', created_at,
                'decided_at', decided_at) ORDER BY round), '[]')
            FROM escalation_tickets WHERE client_id = run.client_id AND run_id = run.id
           ) AS reviews,
           (SELECT coalesce(jsonb_agg(jsonb_build_object(
                'action', action, 'state', state, 'at', planned_at,
                'amount', CASE WHEN amount IS NOT NULL
                THEN jsonb_build_object('minor', amount, 'currency', currency) END
            ) ORDER BY round, step), '[]')
            FROM action_ledger WHERE client_id = run.client_id AND run_id = run.id
           ) AS effects
    FROM engine_runs AS run
    WHERE run.client_id = :client_id AND run.id = ANY(:runs)
""")
_OF_RUN: Final = sa.text("""
    SELECT message.conversation_id FROM engine_runs AS run
    JOIN engine_messages AS message
      ON message.client_id = run.client_id AND message.event_id = run.event_id
     AND message.direction = 'inbound'
    WHERE run.client_id = :client_id AND run.id = :run_id
""")
_CHANNELS: Final = sa.text("""
    SELECT run.id, message.channel FROM engine_runs AS run
    JOIN engine_messages AS message
      ON message.client_id = run.client_id AND message.event_id = run.event_id
     AND message.direction = 'inbound'
    WHERE run.client_id = :client_id AND run.id = ANY(:runs) AND message.channel IS NOT NULL
""")
_HELD: Final = sa.text("""
    SELECT taken_by, taken_at FROM ai_conversations
    WHERE client_id = :client_id AND id = :conversation_id
""")


_ASSIGNED: Final = "AND assignee = :assignee "
_IS_CLOSED: Final = "AND closed_at IS NOT NULL "
# These conditions only preselect conversations. A conversation's status also depends on the current
# time, which an index cannot contain, so `TalkFilter.outer` checks the status again.
_OF_STATUS: Final = {
    ConversationStatus.OPEN: "AND closed_at IS NULL ",
    ConversationStatus.SNOOZED: "AND snoozed_until IS NOT NULL ",
    ConversationStatus.CLOSED: _IS_CLOSED,
}


@dataclass(frozen=True, slots=True)
class TalkFilter:
    """Filters for a list of conversations. `unhappy`: with critical sentiment. `taken`: taken over
    by a member. `unanswered`: the customer wrote last, or a message is waiting for the agent or a
    review. `assignee`: a member's id, or "" for none."""

    unhappy: bool = False
    taken: bool = False
    unanswered: bool = False
    channel: Channel | None = None
    status: ConversationStatus | None = None
    assignee: str | None = None
    tag: str | None = None

    @property
    def is_set(self) -> bool:
        return bool(self.inner or self.outer)

    @property
    def inner(self) -> str:
        """Return the SQL for the filters that have an index, applied to all conversations.

        Only one index can be used at a time, so `outer` contains the other filters. A query with
        two rarely combined values would otherwise read all conversations.
        """
        marked = ("AND is_critical " if self.unhappy else "") + (
            "AND taken_at IS NOT NULL " if self.taken else ""
        )
        if marked:
            return marked
        if self.assignee:
            return _ASSIGNED
        if self.tag is not None:
            return "AND tags <> '[]' "
        return "" if self.status is None else _OF_STATUS[self.status]

    @property
    def outer(self) -> str:
        """Return the SQL for the filters that `inner` does not contain. They are applied only to a
        limited number of conversations."""
        inner = self.inner
        chosen = {
            f"AND {_IS_UNANSWERED} ": self.unanswered,
            "AND channel = :channel ": self.channel is not None,
            f"AND {STATUS} = :status ": self.status is not None and inner != _IS_CLOSED,
            "AND coalesce(assignee, '') = :assignee ": self.assignee is not None
            and inner != _ASSIGNED,
            "AND tags ? :tag ": self.tag is not None,
        }
        return "".join(sql for sql, is_chosen in chosen.items() if is_chosen)

    @property
    def values(self) -> dict[str, str]:
        """Return the parameters for the SQL of `inner` and `outer`."""
        given = {
            "channel": self.channel,
            "status": self.status,
            "assignee": self.assignee,
            "tag": self.tag,
        }
        return {name: str(value) for name, value in given.items() if value is not None}


class Talk(BaseModel):
    """A conversation in a list. `latest` is the start of its latest message. `waits_for_team` means
    that a message is waiting for a reviewer, or that the agent will not answer it."""

    model_config = ConfigDict(frozen=True)

    id: str
    channel: str
    customer_email: str | None
    last_message_at: datetime
    handed_over_at: datetime | None
    taken_by: str | None
    sentiment: float | None
    is_critical: bool
    latest: str | None
    is_unanswered: bool | None
    waits_for_team: bool | None
    status: ConversationStatus
    assignee: str | None
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TalkPlace:
    """The cursor for a list of conversations: the last conversation on the previous page."""

    at: datetime
    id: str


class ReviewStep(BaseModel):
    model_config = ConfigDict(frozen=True)

    review_id: str
    status: EscalationStatus
    reason: EscalationReason
    created_at: datetime
    decided_at: datetime | None


class EffectStep(BaseModel):
    model_config = ConfigDict(frozen=True)

    action: ActionKind
    state: str
    at: datetime
    amount: Money | None


class ThreadStep(BaseModel):
    """The processing of one message: its run, reviews and actions."""

    model_config = ConfigDict(frozen=True)

    run_id: str
    status: RunStatus
    classification: str | None
    handoff_reason: EscalationReason | None
    sentiment: float | None
    language: str | None
    order_number: str | None
    reviews: tuple[ReviewStep, ...]
    effects: tuple[EffectStep, ...]


class ConversationLists(TenantRepository):
    async def page(
        self, wanted: TalkFilter, *, after: TalkPlace | None, limit: int, now: datetime
    ) -> tuple[list[Talk], TalkPlace | None]:
        """Return a page of conversations, latest message first, and the cursor for the next page.
        On the last page, the cursor is None."""
        given: dict[str, object] = {
            "client_id": self._tenant,
            "at": after.at if after else None,
            "id": after.id if after else "",
            "looked_through": LOOKED_THROUGH if wanted.outer else limit + 1,
            "limit": limit + 1,
            "now": now,
        }
        begin = {name: given[name] for name in ("client_id", "at", "id", "looked_through")}
        given |= wanted.values
        if wanted.inner == _ASSIGNED:
            begin["assignee"] = wanted.assignee
        rows = await self._connection.execute(
            sa.text(_PAGE.format(inner=wanted.inner, outer=wanted.outer)), given
        )
        found = [Talk.model_validate(row, from_attributes=True) for row in rows]
        if len(found) > limit:
            last = found[limit - 1]
            return found[:limit], TalkPlace(last.last_message_at, last.id)
        if not wanted.outer:
            return found, None
        end = (
            await self._connection.execute(sa.text(_END.format(inner=wanted.inner)), begin)
        ).one_or_none()
        return found, TalkPlace(end.last_message_at, end.id) if end else None

    async def steps(self, run_ids: list[str]) -> dict[str, ThreadStep]:
        """Return the processing step of each run's message, keyed by run id."""
        rows = await self._connection.execute(_STEPS, {"client_id": self._tenant, "runs": run_ids})
        return {row.run_id: ThreadStep.model_validate(row, from_attributes=True) for row in rows}

    async def channels(self, run_ids: list[str]) -> dict[str, str]:
        """Return the channels through which these runs' messages arrived, keyed by run id. Runs
        whose event is not normalized yet are omitted."""
        rows = await self._connection.execute(
            _CHANNELS, {"client_id": self._tenant, "runs": run_ids}
        )
        return {row.id: row.channel for row in rows}

    async def of_run(self, run_id: str) -> str | None:
        """Return the id of the conversation to which a run's message belongs, or None if the event
        is not normalized yet."""
        found: str | None = await self._connection.scalar(
            _OF_RUN, {"client_id": self._tenant, "run_id": run_id}
        )
        return found

    async def holder(self, conversation_id: str) -> tuple[str | None, datetime | None]:
        """Return the user who has taken over the conversation, and the time of the takeover. Raises
        ConversationNotFound."""
        row = await self._one(
            _HELD,
            {"client_id": self._tenant, "conversation_id": conversation_id},
            ConversationNotFound(conversation_id),
        )
        return row.taken_by, row.taken_at


client_of_conversation: Final = owner_of(ai_conversations, ConversationNotFound)
