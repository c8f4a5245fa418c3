"""Conversations that a member takes over from the AI agent in the dashboard, and later hands back
to it."""

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
        """Record that a member takes over a conversation, so that the AI agent does not answer in
        it. Idempotent.

        If `force` is true, it is taken over from another member. Raises ConversationNotFound,
        ConversationTaken.
        """
        this = {"client_id": self._tenant, "conversation_id": conversation_id}
        row = await self._one(_LOCK, this, ConversationNotFound(conversation_id))
        if not force and row.taken_by not in {None, by}:
            raise ConversationTaken(row.taken_by)
        await self._connection.execute(_TAKE, {**this, "by": by, "now": now})

    async def hand_back(self, conversation_id: str) -> None:
        """Hand the conversation back to the AI agent, for any reason of the handoff. Idempotent.
        Raises ConversationNotFound."""
        this = {"client_id": self._tenant, "conversation_id": conversation_id}
        await self._one(_LOCK, this, ConversationNotFound(conversation_id))
        await self._connection.execute(_HAND_BACK, this)
