"""Conversation memory: the last turns with one customer of one client, never across clients."""

from datetime import datetime
from typing import Final

import sqlalchemy as sa

from domain.runs.conversation import (
    MAX_SUMMARY_RUNS,
    MAX_TURN_CHARS,
    MAX_TURNS,
    TURNS_KEPT,
    PastRun,
    summary,
)
from store.core.repository import TenantRepository

_LOCK: Final = sa.text("""
    SELECT conversation.id FROM ai_conversations AS conversation
    JOIN engine_messages AS inbound
      ON inbound.client_id = conversation.client_id AND inbound.conversation_id = conversation.id
    WHERE inbound.client_id = :client_id AND inbound.event_id = :event_id
      AND inbound.direction = 'inbound'
    FOR NO KEY UPDATE OF conversation
""")

# No word of a customer is read: a run's class, the shop's own number of the order, its outcome.
# Of a step that several rounds tried, what is known to be done counts, else the last try.
_PAST_RUNS: Final = sa.text("""
    SELECT run.received_at::date AS day, run.status, run.classification,
           coalesce(run.response, '') <> '' AS replied,
           run.lookup #>> '{order,number}' AS order_number,
           (SELECT review.status FROM escalation_tickets AS review
            WHERE review.client_id = run.client_id AND review.run_id = run.id
            ORDER BY review.round DESC LIMIT 1) AS review,
           (SELECT coalesce(jsonb_agg(jsonb_build_object(
                'kind', step.action, 'state', step.state, 'amount',
                CASE WHEN step.amount IS NOT NULL THEN jsonb_build_object(
                    'minor', step.amount, 'currency', step.currency) END) ORDER BY step.step), '[]')
            FROM (
                SELECT DISTINCT ON (step) step, action, state, amount, currency
                FROM action_ledger
                WHERE client_id = run.client_id AND run_id = run.id AND order_key IS NOT NULL
                ORDER BY step, state = 'done' DESC, round DESC
            ) AS step
            WHERE step.state IN ('done', 'unknown')) AS effects
    FROM engine_messages AS inbound
    JOIN engine_runs AS run
      ON run.client_id = inbound.client_id AND run.event_id = inbound.event_id
    WHERE inbound.client_id = :client_id AND inbound.conversation_id = :conversation_id
      AND inbound.direction = 'inbound' AND run.status <> 'received'
    ORDER BY inbound.created_at DESC, inbound.event_id DESC
    LIMIT :runs
""")

_REMEMBER: Final = sa.text("""
    UPDATE ai_conversations AS conversation
    SET summary = :summary,
        last_message_at = coalesce(
            (SELECT max(created_at) FROM engine_messages
             WHERE client_id = :client_id AND conversation_id = :conversation_id),
            conversation.last_message_at),
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

# Turns grow old while nobody writes; a conversation younger than that has none that are. Those of
# before turns had their time are kept until the next answer.
_OPEN: Final = sa.text("""
    INSERT INTO ai_conversations AS conversation
        (client_id, id, key, channel, customer_email, summary, created_at, last_message_at)
    VALUES (:client_id, :id, :key, :channel, :customer_email, '', :now, :now)
    ON CONFLICT (client_id, key) DO UPDATE
    SET last_message_at = excluded.last_message_at,
        turns = CASE WHEN conversation.created_at > :kept_from THEN conversation.turns ELSE (
            SELECT coalesce(jsonb_agg(turn ORDER BY place), '[]'::jsonb)
            FROM jsonb_array_elements(conversation.turns) WITH ORDINALITY AS kept (turn, place)
            WHERE ((turn ->> 'at')::timestamptz <= :kept_from) IS NOT TRUE
        ) END
    RETURNING id
""")


class ConversationRepository(TenantRepository):
    async def open(
        self,
        key: str,
        *,
        conversation_id: str,
        channel: str,
        customer_email: str | None,
        now: datetime,
    ) -> str:
        """The id of the conversation with this key, made with `conversation_id` if it is new.

        Turns that have become too old by `now` are forgotten.
        """
        opened = await self._connection.scalar(
            _OPEN,
            {
                "client_id": self._tenant,
                "id": conversation_id,
                "key": key,
                "channel": channel,
                "customer_email": customer_email,
                "now": now,
                "kept_from": now - TURNS_KEPT,
            },
        )
        return str(opened)

    async def remember(self, event_id: str, now: datetime) -> None:
        """Bring the memory of an event's conversation up to its stored messages and runs.

        It is computed, not appended, so a repetition changes nothing.
        """
        # A statement of its own: one that waits for the lock would see what was there before. NO
        # KEY, for the reply stored just now holds a key-share lock by its foreign key, in both.
        locked = await self._connection.scalar(
            _LOCK, {"client_id": self._tenant, "event_id": event_id}
        )
        if locked is None:
            return  # failed before it was normalized
        mine = {"client_id": self._tenant, "conversation_id": locked}
        rows = await self._connection.execute(_PAST_RUNS, {**mine, "runs": MAX_SUMMARY_RUNS})
        past = [PastRun.model_validate(row, from_attributes=True) for row in rows]
        await self._connection.execute(
            _REMEMBER,
            {
                **mine,
                "summary": summary(past[::-1]),
                "turns": MAX_TURNS,
                "chars": MAX_TURN_CHARS,
                "kept_from": now - TURNS_KEPT,
            },
        )
