"""Conversations that a person takes over from the agent at the dashboard, and later hands back to
the agent."""

from datetime import datetime
from typing import Final

import sqlalchemy as sa

from domain.runs.errors import ConversationNotFound, ConversationTaken
from store.core.repository import TenantRepository

_LOCK: Final = sa.text("""
    SELECT taken_by FROM ai_conversations
    WHERE client_id = :client_id AND id = :conversation_id
    FOR NO KEY UPDATE
""")
_TAKE: Final = sa.text("""
    UPDATE ai_conversations
    SET taken_by = :by, taken_at = :now, handed_over_at = coalesce(handed_over_at, :now)
    WHERE client_id = :client_id AND id = :conversation_id AND taken_by IS DISTINCT FROM :by
""")
_HAND_BACK: Final = sa.text("""
    UPDATE ai_conversations SET taken_by = NULL, taken_at = NULL, handed_over_at = NULL
    WHERE client_id = :client_id AND id = :conversation_id
""")


class TakeoverRepository(TenantRepository):
    async def take(self, conversation_id: str, by: str, now: datetime, *, force: bool) -> None:
        """Record that a person takes a conversation over, so that the agent does not answer.
        Idempotent.

        `force`: take the conversation over even from another person. Raises ConversationNotFound,
        ConversationTaken.
        """
        this = {"client_id": self._tenant, "conversation_id": conversation_id}
        row = await self._one(_LOCK, this, ConversationNotFound(conversation_id))
        if not force and row.taken_by not in {None, by}:
            raise ConversationTaken(row.taken_by)
        await self._connection.execute(_TAKE, {**this, "by": by, "now": now})

    async def hand_back(self, conversation_id: str) -> None:
        """Hand the conversation back to the agent, regardless of why people took it over.
        Idempotent. Raises ConversationNotFound."""
        this = {"client_id": self._tenant, "conversation_id": conversation_id}
        await self._one(_LOCK, this, ConversationNotFound(conversation_id))
        await self._connection.execute(_HAND_BACK, this)
