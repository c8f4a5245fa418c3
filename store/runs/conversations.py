"""Conversations of one client. A conversation is one thread, from its first message until it
ends."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

import sqlalchemy as sa

from domain.agent.thread import Thread
from domain.runs.conversation import (
    MAX_TURN_CHARS,
    MAX_TURNS,
    THREAD_LASTS,
    TURNS_KEPT,
    summary,
)
from store.core.repository import TenantRepository
from store.runs.memories import MemoryRepository

# The memory is locked too. Several threads of one customer may end concurrently, and the memory is
# computed from all of them.
_LOCK: Final = sa.text("""
    WITH thread AS (
        SELECT conversation.id, conversation.memory_key FROM ai_conversations AS conversation
        JOIN engine_messages AS inbound
          ON inbound.client_id = conversation.client_id
         AND inbound.conversation_id = conversation.id
        WHERE inbound.client_id = :client_id AND inbound.event_id = :event_id
          AND inbound.direction = 'inbound'
        FOR NO KEY UPDATE OF conversation
    ), memory AS (
        INSERT INTO customer_memories AS memory (client_id, key, summary, updated_at)
        SELECT :client_id, memory_key, '', :now FROM thread WHERE memory_key IS NOT NULL
        ON CONFLICT (client_id, key) DO UPDATE SET updated_at = excluded.updated_at
    )
    SELECT id, memory_key FROM thread
""")

_REMEMBER: Final = sa.text("""
    WITH memory AS (
        UPDATE customer_memories SET summary = :summary
        WHERE client_id = :client_id AND key = :memory_key
    )
    UPDATE ai_conversations AS conversation
    SET summary = :summary,
        last_message_at = coalesce(
            (SELECT max(created_at) FROM engine_messages
             WHERE client_id = :client_id AND conversation_id = :conversation_id),
            conversation.last_message_at),
        waiting_since = (
            SELECT min(created_at) FROM engine_messages
            WHERE client_id = :client_id AND conversation_id = :conversation_id
              AND direction = 'inbound' AND created_at > coalesce(
                (SELECT max(created_at) FROM engine_messages
                 WHERE client_id = :client_id AND conversation_id = :conversation_id
                   AND direction = 'outbound'), '-infinity')),
        answer_skipped = coalesce((
            SELECT said.direction = 'inbound' AND run.status = 'completed' FROM (
                SELECT direction, event_id FROM engine_messages
                WHERE client_id = :client_id AND conversation_id = :conversation_id
                ORDER BY created_at DESC LIMIT 1
            ) AS said
            JOIN engine_runs AS run
              ON run.client_id = :client_id AND run.event_id = said.event_id), false),
        turns = (
            SELECT coalesce(jsonb_agg(
                jsonb_build_object('author', author, 'body', left(body, :chars), 'at', created_at)
                ORDER BY created_at, event_id, direction), '[]'::jsonb)
            FROM (
                SELECT author, body, created_at, event_id, direction
                FROM engine_messages
                WHERE client_id = :client_id AND conversation_id = :conversation_id
                  AND body <> '' AND created_at > :kept_from
                ORDER BY created_at DESC, event_id DESC, direction DESC
                LIMIT :turns
            ) AS latest
        )
    WHERE conversation.client_id = :client_id AND conversation.id = :conversation_id
""")

# A conversation without a message since `ended_before` is locked but not returned. `_END` then
# decides whether the conversation ends.
_OPEN: Final = sa.text("""
    INSERT INTO ai_conversations AS conversation
        (client_id, id, key, memory_key, channel, customer_email, summary, created_at,
         last_message_at, waiting_since)
    VALUES (:client_id, :id, :key, :memory_key, :channel, :customer_email, '', :now, :now, :now)
    ON CONFLICT (client_id, key) DO UPDATE
    SET last_message_at = greatest(conversation.last_message_at, excluded.last_message_at),
        closed_at = NULL, snoozed_until = NULL, answer_skipped = false,
        waiting_since = coalesce(conversation.waiting_since, excluded.waiting_since),
        memory_key = coalesce(conversation.memory_key, excluded.memory_key),
        turns = CASE WHEN conversation.created_at > :kept_from THEN conversation.turns ELSE (
            SELECT coalesce(jsonb_agg(turn ORDER BY place), '[]'::jsonb)
            FROM jsonb_array_elements(conversation.turns) WITH ORDINALITY AS kept (turn, place)
            WHERE ((turn ->> 'at')::timestamptz <= :kept_from) IS NOT TRUE
        ) END
    WHERE conversation.last_message_at > CAST(:ended_before AS timestamptz)
       OR CAST(:ended_before AS timestamptz) IS NULL
    RETURNING id, EXISTS (
        SELECT FROM engine_messages AS inbound
        WHERE inbound.client_id = :client_id AND inbound.event_id = :event_id
          AND inbound.direction = 'inbound' AND inbound.conversation_id = conversation.id
    ) AS is_repeated, conversation.thread, conversation.proposal
""")
# The conversation ends by renaming its key, so that the next one can use it. An open review or a
# takeover prevents the end, so that the reviewer or member gets the next message.
_END: Final = sa.text("""
    UPDATE ai_conversations AS conversation
    SET ended_at = :now, key = key || '/' || id, proposal = NULL
    WHERE client_id = :client_id AND key = :key AND taken_at IS NULL AND NOT EXISTS (
        SELECT FROM engine_messages AS message
        JOIN engine_runs AS run
          ON run.client_id = message.client_id AND run.event_id = message.event_id
        JOIN escalation_tickets AS review
          ON review.client_id = run.client_id AND review.run_id = run.id
        WHERE message.client_id = conversation.client_id
          AND message.conversation_id = conversation.id AND message.direction = 'inbound'
          AND review.status IN ('pending', 'claimed'))
""")

# An email is matched only if the action ledger records it as sent by the service. An email that
# merely resembles a sent email is not matched.
_KEY_OF_REPLY: Final = sa.text("""
    SELECT CASE WHEN conversation.ended_at IS NULL THEN conversation.key
                ELSE left(conversation.key, -1 - length(conversation.id)) END
    FROM action_ledger AS entry
    JOIN engine_runs AS run ON run.client_id = entry.client_id AND run.id = entry.run_id
    JOIN engine_messages AS inbound
      ON inbound.client_id = run.client_id AND inbound.event_id = run.event_id
     AND inbound.direction = 'inbound'
    JOIN ai_conversations AS conversation
      ON conversation.client_id = inbound.client_id AND conversation.id = inbound.conversation_id
    WHERE entry.client_id = :client_id AND entry.action = 'reply_by_email'
      AND entry.reference = ANY(:mails) AND conversation.memory_key = :memory_key
    ORDER BY entry.planned_at DESC, entry.id DESC LIMIT 1
""")


@dataclass(frozen=True, slots=True)
class Opened:
    """The conversation for an event: just created (`is_new`), or assigned before (`is_repeated`).
    `thread` contains the facts settled so far."""

    id: str
    is_new: bool
    is_repeated: bool
    thread: Thread


class ConversationRepository(TenantRepository):
    async def open(
        self,
        key: str,
        *,
        event_id: str,
        conversation_id: str,
        channel: str,
        customer_email: str | None,
        memory_key: str | None,
        now: datetime,
        lasts: timedelta = THREAD_LASTS,
    ) -> Opened:
        """Return the conversation with this key, locked until the transaction ends, or create it
        with the id `conversation_id`.

        A conversation ends after `lasts` without a message, and a new one starts. It does not end
        during an open review or a member's takeover. Closed and snoozed ones are reopened. Messages
        older than `TURNS_KEPT` are removed from `turns`.
        """
        given: dict[str, object] = {
            "client_id": self._tenant,
            "id": conversation_id,
            "key": key,
            "memory_key": memory_key,
            "channel": channel,
            "customer_email": customer_email,
            "event_id": event_id,
            "now": now,
            "kept_from": now - TURNS_KEPT,
        }
        found = (
            await self._connection.execute(_OPEN, {**given, "ended_before": now - lasts})
        ).one_or_none()
        if found is None:
            await self._connection.execute(
                _END, {"client_id": self._tenant, "key": key, "now": now}
            )
            found = (await self._connection.execute(_OPEN, {**given, "ended_before": None})).one()
        is_new = found.id == conversation_id
        return Opened(
            found.id,
            is_new=is_new,
            is_repeated=found.is_repeated and not is_new,
            thread=Thread.model_validate({**found.thread, "proposal": found.proposal}),
        )

    async def key_of_reply(self, mails: tuple[str, ...], memory_key: str) -> str | None:
        """Return the key of a thread in which the service sent one of these emails to this
        customer, or None. If several threads match, the latest email determines the result."""
        key: str | None = await self._connection.scalar(
            _KEY_OF_REPLY,
            {"client_id": self._tenant, "mails": list(mails), "memory_key": memory_key},
        )
        return key

    async def remember(self, event_id: str, now: datetime) -> None:
        """Recompute the memory of an event's conversation and customer from the stored messages and
        runs. A repeated call has no effect."""
        # The lock is a separate statement because a statement that waits for a lock sees only data
        # that was committed before the wait.
        locked = (
            await self._connection.execute(
                _LOCK, {"client_id": self._tenant, "event_id": event_id, "now": now}
            )
        ).one_or_none()
        if locked is None:
            return  # The event failed before it was normalized.
        memories = MemoryRepository(self._connection, self._tenant)
        await self._connection.execute(
            _REMEMBER,
            {
                "client_id": self._tenant,
                "conversation_id": locked.id,
                "memory_key": locked.memory_key,
                "summary": summary(await memories.past_runs(locked.id, locked.memory_key)),
                "turns": MAX_TURNS,
                "chars": MAX_TURN_CHARS,
                "kept_from": now - TURNS_KEPT,
            },
        )
