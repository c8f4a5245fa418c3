"""Members' replies in conversations: scheduled, undone, sent and settled.

Undoing and sending lock the reply's row, so only one takes effect. The conversation is locked
before the reply.
"""

from collections.abc import Sequence, Set
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.agent.plan import ON_ORDERS, REPLIES, StepState
from domain.core.contracts import BackgroundRef
from domain.intake.event import UnifiedEvent
from domain.reviews.escalation import OPEN_STATUSES, Claim, Decision
from domain.runs.errors import ConversationNotFound, ReplyNotFound
from domain.runs.run import UNCLASSIFIED, RunStatus
from domain.runs.teammate_reply import (
    AUTHOR_REMOVED,
    FIRST_STEP,
    AnsweredMessage,
    ReplyState,
    TeammateReply,
    WriterStanding,
)
from domain.widget.contracts import LateAnswer
from domain.widget.widget_session import SESSION_LASTS
from store.core.place import Place, beyond
from store.core.repository import TenantRepository, owner_of
from store.reviews.reply_files import ReplyFileRepository
from store.runs.tables import conversation_replies

_REPLIES: Final = conversation_replies.c
_ON_ORDERS: Final = ", ".join(f"'{kind}'" for kind in sorted(ON_ORDERS))
_ANSWERS: Final = ", ".join(f"'{kind}'" for kind in sorted(REPLIES))
_OPEN: Final = ", ".join(f"'{status}'" for status in sorted(OPEN_STATUSES))
# Only a few messages are read because an automatic email rarely follows another automatic email.
_LOOKED_THROUGH: Final = 20
_WAITING_READ: Final = 20
# A ledger entry without an outcome is ignored after this period. The period is longer than the
# timeout of an action in another system (`OUTSIDE` in `workflows/options.py`).
_ATTEMPT_LASTS: Final = timedelta(minutes=1)
_UNSENT: Final = _REPLIES.state.in_((ReplyState.SCHEDULED.value, ReplyState.SENDING.value))

_LOCK_CONVERSATION: Final = sa.text("""
    SELECT taken_by FROM ai_conversations
    WHERE client_id = :client_id AND id = :conversation_id
    FOR NO KEY UPDATE
""")
_CLAIMS: Final = sa.text(f"""
    SELECT DISTINCT review.id, review.claimed_by, review.claimed_at
    FROM engine_messages AS inbound
    JOIN engine_runs AS run
      ON run.client_id = inbound.client_id AND run.event_id = inbound.event_id
    JOIN escalation_tickets AS review
      ON review.client_id = run.client_id AND review.run_id = run.id
    WHERE inbound.client_id = :client_id AND inbound.conversation_id = :conversation_id
      AND inbound.direction = 'inbound' AND review.status IN ({_OPEN})
      AND review.claimed_by IS NOT NULL
    ORDER BY review.id
""")  # noqa: S608 - our own names
_WAITING: Final = sa.text(f"""
    SELECT author FROM conversation_replies
    WHERE client_id = :client_id AND conversation_id = :conversation_id
      AND state = '{ReplyState.SCHEDULED}'
    ORDER BY created_at, id LIMIT {_WAITING_READ}
""")  # noqa: S608 - our own names
# An automatic email, such as an out-of-office reply, does not prevent a reply to the previous
# message.
_ANSWERED: Final = """
    SELECT said.event_id, run.id AS run_id, said.widget_session_id IS NOT NULL AS in_session,
           session.id IS NOT NULL AS can_show,
           coalesce(session.used_at > :alive, false) AS is_live,
           event.received_by IS NOT NULL AS was_delivered
    FROM (
        SELECT client_id, id, event_id, widget_session_id, created_at FROM engine_messages
        WHERE client_id = :client_id AND direction = 'inbound' AND {which}
        ORDER BY created_at DESC, id DESC LIMIT :looked_through
    ) AS said
    JOIN engine_events AS event
      ON event.client_id = said.client_id AND event.id = said.event_id AND event.erased_at IS NULL
    JOIN engine_runs AS run ON run.client_id = said.client_id AND run.event_id = said.event_id
    LEFT JOIN widget_sessions AS session
      ON session.client_id = said.client_id AND session.id = said.widget_session_id
     AND (session.used_at > :alive OR session.verified_email IS NOT NULL)
    ORDER BY event.unified -> 'reply_allowed' IS NOT DISTINCT FROM 'false',
             said.created_at DESC, said.id DESC
    LIMIT 1
"""
_LATEST: Final = sa.text(_ANSWERED.format(which="conversation_id = :conversation_id"))
_OF_EVENT: Final = sa.text(_ANSWERED.format(which="event_id = :event_id"))
# Drafts with order actions in their plan are excluded. Such a draft promises the actions, but a
# reply does not execute them.
_OPEN_DRAFT: Final = sa.text(f"""
    SELECT coalesce(review.edited_text, review.draft)
    FROM engine_messages AS inbound
    JOIN engine_runs AS run
      ON run.client_id = inbound.client_id AND run.event_id = inbound.event_id
    JOIN escalation_tickets AS review
      ON review.client_id = run.client_id AND review.run_id = run.id
    WHERE inbound.client_id = :client_id AND inbound.conversation_id = :conversation_id
      AND inbound.direction = 'inbound' AND review.status IN ({_OPEN})
      AND NOT EXISTS (
          SELECT FROM jsonb_array_elements(review.plan) AS action
          WHERE action ->> 'kind' IN ({_ON_ORDERS}))
    ORDER BY review.created_at DESC, review.id DESC LIMIT 1
""")  # noqa: S608 - our own names
# The agent stores its answer after the helpdesk or mail server has accepted it, possibly after a
# reply's undo period. The action ledger has it earlier. Old entries are ignored because a crash can
# leave one without an outcome.
_IS_ANSWERED: Final = sa.text(f"""
    SELECT EXISTS (
        SELECT FROM engine_messages AS inbound
        JOIN engine_runs AS run
          ON run.client_id = inbound.client_id AND run.event_id = inbound.event_id
        JOIN escalation_tickets AS review
          ON review.client_id = run.client_id AND review.run_id = run.id
        WHERE inbound.client_id = :client_id AND inbound.conversation_id = :conversation_id
          AND inbound.direction = 'inbound'
          AND review.decision IN ('{Decision.APPROVE}', '{Decision.EDIT}')
          AND (review.decided_at > :since
               -- Approved before, and not sent yet.
               OR run.status = '{RunStatus.NEEDS_REVIEW}' AND NOT EXISTS (
                   SELECT FROM escalation_tickets AS later
                   WHERE later.client_id = run.client_id AND later.run_id = run.id
                     AND later.status IN ({_OPEN}))))
    OR EXISTS (
        SELECT FROM engine_messages
        WHERE client_id = :client_id AND conversation_id = :conversation_id
          AND direction = 'outbound' AND reply_id IS NULL AND created_at > :since)
    OR EXISTS (
        SELECT FROM engine_messages AS inbound
        JOIN engine_runs AS run
          ON run.client_id = inbound.client_id AND run.event_id = inbound.event_id
        JOIN action_ledger AS entry
          ON entry.client_id = run.client_id AND entry.run_id = run.id
        WHERE inbound.client_id = :client_id AND inbound.conversation_id = :conversation_id
          AND inbound.direction = 'inbound' AND entry.step < {FIRST_STEP}
          AND entry.action IN ({_ANSWERS}) AND entry.state <> '{StepState.FAILED}'
          AND (entry.finished_at > :since
               OR entry.finished_at IS NULL AND entry.planned_at > :attempted_since))
""")  # noqa: S608 - our own names
_ADD: Final = sa.text("""
    INSERT INTO conversation_replies (client_id, id, conversation_id, event_id, run_id, step,
                                      author, by_member, body, state, created_at, send_at)
    SELECT :client_id, :id, :conversation_id, :event_id, :run_id,
           coalesce(max(step) + 1, :first), :author, :by_member, :body, 'scheduled', :now, :send_at
    FROM conversation_replies WHERE client_id = :client_id AND run_id = :run_id
    RETURNING *
""")
_TAKE: Final = sa.text("""
    UPDATE ai_conversations
    SET taken_by = :by, taken_at = :now, handed_over_at = coalesce(handed_over_at, :now)
    WHERE client_id = :client_id AND id = :conversation_id AND taken_by IS NULL
      AND ended_at IS NULL
""")
# A "yes" from the customer now refers to the member's reply, so earlier questions are closed.
_DROP_QUESTION: Final = sa.text("""
    UPDATE ai_conversations
    SET proposal = NULL, thread = thread - ARRAY['asked_number', 'asked_of']
    WHERE client_id = :client_id AND id = :conversation_id
""")
# No message is stored for a customer who is being erased.
_STORE_MESSAGE: Final = sa.text("""
    INSERT INTO engine_messages (client_id, id, reply_id, conversation_id, direction, channel,
                                 author, body, created_at)
    SELECT said.client_id, :message_id, :reply_id, said.conversation_id, 'outbound', said.channel,
           'human', :body, :now
    FROM engine_messages AS said
    JOIN engine_events AS event
      ON event.client_id = said.client_id AND event.id = said.event_id AND event.erased_at IS NULL
    WHERE said.client_id = :client_id AND said.event_id = :event_id AND said.direction = 'inbound'
    ON CONFLICT (client_id, reply_id) WHERE reply_id IS NOT NULL DO NOTHING
""")
_RUN: Final = sa.text("""
    SELECT classification, confidence, received_at FROM engine_runs
    WHERE client_id = :client_id AND id = :run_id
""")
_LATE: Final = sa.text("""
    SELECT session.id AS session_id, answer.widget_number AS number
    FROM engine_messages AS answer
    JOIN widget_sessions AS session
      ON session.client_id = answer.client_id AND session.id = answer.widget_session_id
    WHERE answer.client_id = :client_id AND answer.reply_id = :reply_id
      AND session.verified_email IS NOT NULL
""")


@dataclass(frozen=True, slots=True)
class AnsweredRun:
    """The run data in the webhook event that reports a reply. `received_at`: when the customer's
    message arrived."""

    classification: str
    confidence: float
    received_at: datetime


@dataclass(frozen=True, slots=True)
class LatestMessage:
    """The customer's message that a reply answers. The fields are as in `AnsweredMessage`."""

    event_id: str
    run_id: str
    in_session: bool
    can_show: bool
    is_live: bool
    was_delivered: bool

    def with_event(self, event: UnifiedEvent) -> AnsweredMessage:
        """Return the message with its normalized event."""
        return AnsweredMessage(
            event, self.in_session, self.can_show, self.is_live, self.was_delivered
        )


class ReplyRepository(TenantRepository):
    async def lock_conversation(self, conversation_id: str) -> WriterStanding:
        """Lock a conversation until the transaction ends, and return its `WriterStanding`. Raises
        ConversationNotFound."""
        this = {"client_id": self._tenant, "conversation_id": conversation_id}
        row = await self._one(_LOCK_CONVERSATION, this, ConversationNotFound(conversation_id))
        claims = await self._connection.execute(_CLAIMS, this)
        return WriterStanding(
            row.taken_by,
            tuple((one.id, Claim(by=one.claimed_by, at=one.claimed_at)) for one in claims),
            tuple(await self._connection.scalars(_WAITING, this)),
        )

    async def latest_message(self, conversation_id: str, now: datetime) -> LatestMessage | None:
        """Return the customer's latest message that allows a reply, else the latest one, or None.
        Messages without a run, and erased ones, are ignored."""
        return await self._answered(_LATEST, now, conversation_id=conversation_id)

    async def open_draft(self, conversation_id: str) -> str:
        """Return the draft of the conversation's latest open review, or an empty string. Drafts
        with order actions in their plan are omitted."""
        this = {"client_id": self._tenant, "conversation_id": conversation_id}
        return str(await self._connection.scalar(_OPEN_DRAFT, this) or "")

    async def message_of(self, reply: TeammateReply, now: datetime) -> LatestMessage | None:
        """Return the message that a reply answers, or None if its customer is being erased."""
        return await self._answered(_OF_EVENT, now, event_id=reply.event_id)

    async def _answered(
        self, query: sa.TextClause, now: datetime, **which: str
    ) -> LatestMessage | None:
        given = {
            "client_id": self._tenant,
            "alive": now - SESSION_LASTS,
            "looked_through": _LOOKED_THROUGH,
            **which,
        }
        row = (await self._connection.execute(query, given)).one_or_none()
        return None if row is None else LatestMessage(*row)

    async def same_as(
        self, answered: LatestMessage, author: str, body: str, file_ids: Set[str]
    ) -> TeammateReply | None:
        """Return the author's latest reply to this message with the same text and files. Replies
        that failed or have an unknown outcome are ignored."""
        found = await self._connection.execute(
            sa.select(conversation_replies)
            .where(
                _REPLIES.client_id == self._tenant,
                _REPLIES.event_id == answered.event_id,
                _REPLIES.author == author,
                _REPLIES.body == body,
                _REPLIES.state.not_in((ReplyState.FAILED.value, ReplyState.UNKNOWN.value)),
            )
            .order_by(_REPLIES.created_at.desc(), _REPLIES.id.desc())
        )
        replies = [TeammateReply.model_validate(row, from_attributes=True) for row in found]
        if not replies:
            return None
        files = await ReplyFileRepository(self._connection, self._tenant).of_replies(
            [one.id for one in replies]
        )
        attached = ((one, {file.id for file in files.get(one.id, ())}) for one in replies)
        return next((one for one, ids in attached if ids == file_ids), None)

    async def add(
        self,
        reply_id: str,
        conversation_id: str,
        answered: LatestMessage,
        *,
        author: str,
        by_member: bool,
        body: str,
        now: datetime,
        send_at: datetime,
    ) -> TeammateReply:
        """Store a scheduled reply in a locked conversation. `by_member` means that the author is a
        member of the client."""
        row = (
            await self._connection.execute(
                _ADD,
                {
                    "client_id": self._tenant,
                    "id": reply_id,
                    "conversation_id": conversation_id,
                    "event_id": answered.event_id,
                    "run_id": answered.run_id,
                    "first": FIRST_STEP,
                    "author": author,
                    "by_member": by_member,
                    "body": body,
                    "now": now,
                    "send_at": send_at,
                },
            )
        ).one()
        return TeammateReply.model_validate(row, from_attributes=True)

    async def read(self, reply_id: str) -> TeammateReply:
        """Return a reply. Raises ReplyNotFound."""
        row = await self._one(self._select(reply_id), {}, ReplyNotFound(reply_id))
        return TeammateReply.model_validate(row, from_attributes=True)

    async def lock(self, reply_id: str) -> TeammateReply:
        """Lock a reply until the transaction ends, and return it. Raises ReplyNotFound."""
        locked = self._select(reply_id).with_for_update(key_share=True)
        row = await self._one(locked, {}, ReplyNotFound(reply_id))
        return TeammateReply.model_validate(row, from_attributes=True)

    async def not_sent(self, conversation_id: str, limit: int) -> tuple[TeammateReply, ...]:
        """Return a conversation's latest replies that are not among its messages, oldest first.
        These replies are scheduled or being sent, have failed, or have an unknown outcome."""
        found = await self._connection.execute(
            sa.select(conversation_replies)
            .where(
                _REPLIES.client_id == self._tenant,
                _REPLIES.conversation_id == conversation_id,
                _REPLIES.state != ReplyState.SENT,
            )
            .order_by(_REPLIES.created_at.desc(), _REPLIES.id.desc())
            .limit(limit)
        )
        latest = [TeammateReply.model_validate(row, from_attributes=True) for row in found]
        if not latest:
            return ()
        files = await ReplyFileRepository(self._connection, self._tenant).of_replies(
            [one.id for one in latest]
        )
        return tuple(
            one.model_copy(update={"attachments": files.get(one.id, ())})
            for one in reversed(latest)
        )

    async def is_answered(self, reply: TeammateReply) -> bool:
        """Return True if the conversation has had another answer since the reply was written.

        That is an approved answer, or one that a run has sent or is sending. The caller must have
        locked the conversation.
        """
        given = {
            "client_id": self._tenant,
            "conversation_id": reply.conversation_id,
            "since": reply.created_at,
            "attempted_since": reply.created_at - _ATTEMPT_LASTS,
        }
        return bool(await self._connection.scalar(_IS_ANSWERED, given))

    async def remove(self, reply_id: str) -> None:
        await self._connection.execute(sa.delete(conversation_replies).where(self._is(reply_id)))

    async def begin(self, reply_id: str) -> None:
        """Record that sending a reply has started, so that the reply can no longer be undone."""
        await self._set(reply_id, state=ReplyState.SENDING)

    async def settle(
        self, reply_id: str, state: ReplyState, *, error_code: str | None, now: datetime
    ) -> None:
        """Store the outcome of a reply. The files of a failed reply return to their author."""
        await self._set(reply_id, state=state, error_code=error_code, finished_at=now)
        if state is ReplyState.FAILED:
            await ReplyFileRepository(self._connection, self._tenant).detach(reply_id)

    async def cancel_of(self, author: str, now: datetime) -> tuple[str, ...]:
        """Fail the pending replies of an author who may no longer answer customers, and return
        their ids. Their files return to the author."""
        cancelled = await self._connection.scalars(
            sa.update(conversation_replies)
            .where(
                _REPLIES.client_id == self._tenant,
                _REPLIES.author == author,
                _REPLIES.state == ReplyState.SCHEDULED,
            )
            .values(state=ReplyState.FAILED, error_code=AUTHOR_REMOVED, finished_at=now)
            .returning(_REPLIES.id)
        )
        ids = tuple(cancelled)
        await ReplyFileRepository(self._connection, self._tenant).detach(*ids)
        return ids

    async def is_by_member(self, reply_id: str) -> bool:
        """Return True if a member of the client wrote the reply, and False for an operator or an
        internal admin."""
        by_member = sa.select(_REPLIES.by_member).where(self._is(reply_id))
        return bool(await self._connection.scalar(by_member))

    async def take_over(self, reply: TeammateReply, now: datetime) -> None:
        """Take over the conversation for the reply's author, unless another member has or it has
        ended. Drop the agent's open question. Idempotent."""
        this = {"client_id": self._tenant, "conversation_id": reply.conversation_id}
        await self._connection.execute(_TAKE, {**this, "by": reply.author, "now": now})
        await self._connection.execute(_DROP_QUESTION, this)

    async def store_message(self, reply: TeammateReply, message_id: str, now: datetime) -> bool:
        """Add a sent reply to the conversation's messages. Return False if it was already added, or
        if its customer is being erased."""
        stored = await self._connection.execute(
            _STORE_MESSAGE,
            {
                "client_id": self._tenant,
                "message_id": message_id,
                "reply_id": reply.id,
                "event_id": reply.event_id,
                "body": reply.body,
                "now": now,
            },
        )
        return stored.rowcount > 0

    async def run_of(self, reply: TeammateReply) -> AnsweredRun:
        """Return the data about the reply's run. The run is not locked: a run must be locked before
        its conversation, and the caller has already locked the conversation."""
        row = (
            await self._connection.execute(
                _RUN, {"client_id": self._tenant, "run_id": reply.run_id}
            )
        ).one()
        return AnsweredRun(
            row.classification or UNCLASSIFIED, row.confidence or 0.0, row.received_at
        )

    async def late(self, reply_id: str) -> LateAnswer | None:
        """Return the reply as an answer to send by email, if the reply is in a widget session with
        a verified address. Otherwise return None."""
        row = (
            await self._connection.execute(_LATE, {"client_id": self._tenant, "reply_id": reply_id})
        ).one_or_none()
        return None if row is None else LateAnswer(session_id=row.session_id, number=row.number)

    def _select(self, reply_id: str) -> "sa.Select[*tuple[object, ...]]":
        return sa.select(conversation_replies).where(self._is(reply_id))

    def _is(self, reply_id: str) -> sa.ColumnElement[bool]:
        return sa.and_(_REPLIES.client_id == self._tenant, _REPLIES.id == reply_id)

    async def _set(self, reply_id: str, **values: object) -> None:
        await self._connection.execute(
            sa.update(conversation_replies).where(self._is(reply_id)).values(**values)
        )


@dataclass(frozen=True, slots=True)
class UnsentReply:
    """A reply without an outcome, as found by the sweep."""

    ref: BackgroundRef
    created_at: datetime

    @property
    def place(self) -> Place:
        return Place(self.created_at, self.ref.record_id)


async def unsent_replies(
    connection: AsyncConnection,
    *,
    before: datetime,
    after: Place | None,
    limit: int,
) -> Sequence[UnsentReply]:
    """Return a page of all clients' replies that were written before `before` and have no outcome,
    oldest first. `after` is the position of the last reply on the previous page."""
    rows = await connection.execute(
        sa.select(_REPLIES.client_id, _REPLIES.id, _REPLIES.created_at)
        .where(
            _UNSENT,
            _REPLIES.created_at < before,
            beyond(after, _REPLIES.created_at, _REPLIES.id),
        )
        .order_by(_REPLIES.created_at, _REPLIES.id)
        .limit(limit)
    )
    return [
        UnsentReply(BackgroundRef(client_id=row.client_id, record_id=row.id), row.created_at)
        for row in rows
    ]


client_of_reply: Final = owner_of(conversation_replies, ReplyNotFound)
