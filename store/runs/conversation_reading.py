"""Read one client's conversations, and the messages in a conversation."""

from collections.abc import Sequence
from typing import Final

import sqlalchemy as sa

from domain.runs.correspondence import ConversationSummary, Message
from domain.runs.errors import ConversationNotFound
from store.core.repository import TenantRepository
from store.runs.message_files import attachments_json, reply_attachments_json

_COLUMNS: Final = """
    conversation.id, conversation.channel, conversation.customer_email, conversation.created_at,
    conversation.last_message_at, conversation.ended_at, conversation.handed_over_at,
    conversation.sentiment,
    (SELECT body FROM engine_messages
     WHERE client_id = conversation.client_id AND conversation_id = conversation.id
       AND direction = 'inbound'
     ORDER BY created_at DESC LIMIT 1) AS latest"""
_ONE: Final = sa.text(f"""
    SELECT {_COLUMNS} FROM ai_conversations AS conversation
    WHERE client_id = :client_id AND id = :conversation_id
""")  # noqa: S608 - constants are put in, no value
_SOME: Final = sa.text(f"""
    SELECT {_COLUMNS} FROM ai_conversations AS conversation
    WHERE client_id = :client_id AND id = ANY(:ids) ORDER BY last_message_at DESC, id DESC
""")  # noqa: S608 - likewise
_MESSAGES: Final = sa.text(f"""
    SELECT message.id, message.author, message.body, message.created_at, run.id AS run_id,
           reply.author AS written_by,
           CASE message.direction WHEN 'inbound'
           THEN {attachments_json("message.client_id", "message.event_id")}
           ELSE {reply_attachments_json("message.client_id", "message.reply_id")}
           END AS attachments
    FROM engine_messages AS message
    LEFT JOIN engine_runs AS run
      ON run.client_id = message.client_id AND run.event_id = message.event_id
    LEFT JOIN conversation_replies AS reply
      ON reply.client_id = message.client_id AND reply.id = message.reply_id
    WHERE message.client_id = :client_id AND message.conversation_id = :conversation_id
      AND (:before ::text IS NULL OR (message.created_at, message.id) < (
        SELECT created_at, id FROM engine_messages
        WHERE client_id = :client_id AND id = :before))
    ORDER BY message.created_at DESC, message.id DESC
    LIMIT :limit
""")  # noqa: S608 - likewise
_LATEST: Final = sa.text("""
    SELECT event_id FROM engine_messages
    WHERE client_id = :client_id AND conversation_id = :conversation_id AND direction = 'inbound'
    ORDER BY created_at DESC, id DESC LIMIT 1
""")


class ConversationReader(TenantRepository):
    async def read(self, conversation_id: str) -> ConversationSummary:
        """Return a conversation. Raises ConversationNotFound."""
        row = await self._one(
            _ONE, self._this(conversation_id), ConversationNotFound(conversation_id)
        )
        return ConversationSummary.model_validate(row, from_attributes=True)

    async def some(self, ids: Sequence[str]) -> tuple[ConversationSummary, ...]:
        """Return the conversations with these ids, latest message first. Unknown ids are
        ignored."""
        rows = await self._connection.execute(_SOME, {"client_id": self._tenant, "ids": list(ids)})
        return tuple(ConversationSummary.model_validate(row, from_attributes=True) for row in rows)

    async def messages(
        self, conversation_id: str, *, before: str | None, limit: int
    ) -> tuple[Message, ...]:
        """Return a page of a conversation's messages, latest first. `before` is the last id on the
        previous page."""
        rows = await self._connection.execute(
            _MESSAGES, {**self._this(conversation_id), "before": before, "limit": limit}
        )
        return tuple(Message.model_validate(row, from_attributes=True) for row in rows)

    async def latest_event(self, conversation_id: str) -> str:
        """Return the id of the event that contains the customer's latest message. Raises
        ConversationNotFound."""
        row = await self._one(
            _LATEST, self._this(conversation_id), ConversationNotFound(conversation_id)
        )
        event_id: str = row.event_id
        return event_id

    def _this(self, conversation_id: str) -> dict[str, str]:
        return {"client_id": self._tenant, "conversation_id": conversation_id}
