"""Conversation memory: the last turns with one customer of one client, never across clients."""

from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.conversation import MAX_TURN_CHARS, MAX_TURNS
from domain.ids import TenantId
from store.tables import ai_conversations

_LOCK: Final = sa.text("""
    SELECT conversation.id FROM ai_conversations AS conversation
    JOIN engine_messages AS inbound
      ON inbound.client_id = conversation.client_id AND inbound.conversation_id = conversation.id
    WHERE inbound.client_id = :client_id AND inbound.event_id = :event_id
      AND inbound.direction = 'inbound'
    FOR NO KEY UPDATE OF conversation
""")

_REMEMBER: Final = sa.text("""
    UPDATE ai_conversations AS conversation
    SET last_message_at = :now, turns = (
        SELECT coalesce(jsonb_agg(
            jsonb_build_object('author', author, 'body', left(body, :chars))
            ORDER BY created_at, event_id, direction), '[]'::jsonb)
        FROM (
            SELECT author, body, created_at, event_id, direction
            FROM engine_messages
            WHERE client_id = :client_id AND conversation_id = conversation.id AND body <> ''
            ORDER BY created_at DESC, event_id DESC, direction DESC
            LIMIT :turns
        ) AS latest
    )
    FROM engine_messages AS inbound
    WHERE inbound.client_id = :client_id AND inbound.event_id = :event_id
      AND inbound.direction = 'inbound'
      AND conversation.client_id = :client_id AND conversation.id = inbound.conversation_id
""")


_NEW: Final = insert(ai_conversations)
_OPEN: Final = _NEW.on_conflict_do_update(
    index_elements=["client_id", "key"], set_={"last_message_at": _NEW.excluded.last_message_at}
).returning(ai_conversations.c.id)


class ConversationRepository:
    def __init__(self, connection: AsyncConnection, tenant: TenantId) -> None:
        self._connection = connection
        self._tenant = tenant

    async def open(
        self,
        key: str,
        *,
        conversation_id: str,
        channel: str,
        customer_email: str | None,
        now: datetime,
    ) -> str:
        """The id of the conversation with this key, made with `conversation_id` if it is new."""
        opened = await self._connection.scalar(
            _OPEN,
            {
                "client_id": self._tenant,
                "id": conversation_id,
                "key": key,
                "channel": channel,
                "customer_email": customer_email,
                "summary": "",
                "created_at": now,
                "last_message_at": now,
            },
        )
        return str(opened)

    async def remember(self, event_id: str, now: datetime) -> None:
        """Bring the turns of an event's conversation up to its stored messages.

        They are computed, not appended, so a repetition changes nothing.
        """
        # A statement of its own: one that waits for the lock would see what was there before. NO
        # KEY, for the reply stored just now holds a key-share lock by its foreign key, in both.
        await self._connection.execute(_LOCK, {"client_id": self._tenant, "event_id": event_id})
        await self._connection.execute(
            _REMEMBER,
            {
                "client_id": self._tenant,
                "event_id": event_id,
                "now": now,
                "turns": MAX_TURNS,
                "chars": MAX_TURN_CHARS,
            },
        )
