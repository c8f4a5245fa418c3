"""The data file for a customer's data request: all stored data about the customer, read in one
transaction."""

from datetime import datetime
from typing import Final, TypeVar

import sqlalchemy as sa
from pydantic import BaseModel

from domain.inbound.customer_file import (
    MOST_EVENTS,
    CustomerFile,
    FiledAttachment,
    FiledConversation,
    FiledMessage,
    FiledNote,
    FiledReview,
    FiledRun,
)
from domain.inbound.data_request import DataRequest
from domain.intake.customer_email import customer_key
from domain.runs.conversation import memory_key_of
from store.core.repository import TenantRepository
from store.integrations.order_facts import OrderFactRepository

_Filed = TypeVar("_Filed", bound=BaseModel)

# The query finds the customer's events by three addresses: the received one, the normalized one,
# and the one whose rate limit the message counted toward.
_EVENTS: Final = sa.text("""
    SELECT event_id FROM (
        SELECT event_id FROM engine_messages
        WHERE client_id = :client_id AND direction = 'inbound' AND customer_key = :customer
        UNION
        SELECT event_id FROM engine_messages
        WHERE client_id = :client_id AND direction = 'inbound' AND normalized_key = :customer
        UNION
        SELECT id FROM engine_events
        WHERE client_id = :client_id AND lower(btrim(customer_email)) = :customer
    ) AS theirs
    ORDER BY event_id DESC LIMIT :limit
""")
_MESSAGES: Final = sa.text("""
    SELECT coalesce(message.event_id, reply.event_id) AS event_id, message.conversation_id,
           message.author, message.body, message.created_at,
           CASE WHEN message.direction = 'inbound' THEN coalesce(
               event.unified -> 'sender_authenticated',
               event.unified -> 'customer_verified', 'false'
           ) = 'true' END AS author_verified
    FROM engine_messages AS message
    LEFT JOIN engine_events AS event
      ON event.client_id = message.client_id AND event.id = message.event_id
    LEFT JOIN conversation_replies AS reply
      ON reply.client_id = message.client_id AND reply.id = message.reply_id
    WHERE message.client_id = :client_id
      AND (message.event_id = ANY(:events) OR message.reply_id = ANY(ARRAY(
          SELECT id FROM conversation_replies
          WHERE client_id = :client_id AND event_id = ANY(:events))))
    ORDER BY message.created_at, message.id
""")
# The summary and the notes of a conversation are omitted if other people also wrote in that
# conversation, because they may concern those people.
_CONVERSATIONS: Final = sa.text("""
    SELECT id, channel, created_at, last_message_at, CASE WHEN NOT EXISTS (
        SELECT FROM engine_messages AS other
        WHERE other.client_id = conversation.client_id
          AND other.conversation_id = conversation.id AND other.event_id <> ALL(:events)
    ) THEN summary ELSE '' END AS summary
    FROM ai_conversations AS conversation
    WHERE client_id = :client_id AND id = ANY(:conversations) ORDER BY id
""")
_NOTES: Final = sa.text("""
    SELECT event_id, conversation_id, body, created_at FROM conversation_notes AS note
    WHERE client_id = :client_id AND event_id = ANY(:events) AND NOT EXISTS (
        SELECT FROM engine_messages AS other
        WHERE other.client_id = note.client_id
          AND other.conversation_id = note.conversation_id AND other.event_id <> ALL(:events)
    ) ORDER BY created_at, id
""")
_RUNS: Final = sa.text("""
    SELECT event_id, id, status, classification, language, sentiment, response, received_at
    FROM engine_runs WHERE client_id = :client_id AND event_id = ANY(:events) ORDER BY id
""")
_REVIEWS: Final = sa.text("""
    SELECT run_id, id, status, reason, draft, edited_text, created_at, decided_at
    FROM escalation_tickets
    WHERE client_id = :client_id AND run_id = ANY(:runs) ORDER BY run_id, round
""")
_ATTACHMENTS: Final = sa.text("""
    SELECT event_id, id, name, media_type, size, created_at FROM attachments AS file
    WHERE client_id = :client_id AND event_id = ANY(:events)
      AND reason IS DISTINCT FROM 'deleted'
      -- A member's file belongs to the customer's data only once it was sent.
      AND (uploaded_by IS NULL OR EXISTS (
          SELECT FROM conversation_replies AS reply
          WHERE reply.client_id = file.client_id AND reply.id = file.reply_id
            AND reply.state = 'sent'))
    ORDER BY event_id, position
""")
_MEMORY: Final = sa.text("""
    SELECT summary FROM customer_memories WHERE client_id = :client_id AND key = :memory
""")


class CustomerFileRepository(TenantRepository):
    async def read(self, request: DataRequest, now: datetime) -> CustomerFile:
        """Return the data file for the customer named in a data request. If the request names only
        orders, the file covers only these orders."""
        customer = customer_key(request.customer_email)
        memory = memory_key_of(request.customer_email, verified=True)
        given: dict[str, object] = {"client_id": self._tenant, "customer": customer}
        found = list(await self._connection.scalars(_EVENTS, {**given, "limit": MOST_EVENTS + 1}))
        given["events"] = found[:MOST_EVENTS]
        messages = await self._all(FiledMessage, _MESSAGES, given)
        runs = await self._all(FiledRun, _RUNS, given)
        given["runs"] = [run.id for run in runs]
        given["conversations"] = [
            *{one.conversation_id for one in messages if one.conversation_id is not None}
        ]
        orders = OrderFactRepository(self._connection, self._tenant)
        return CustomerFile(
            request_id=request.id,
            customer_email=request.customer_email,
            made_at=now,
            is_complete=len(found) <= MOST_EVENTS,
            memory=await self._connection.scalar(_MEMORY, {**given, "memory": memory}),
            conversations=await self._all(FiledConversation, _CONVERSATIONS, given),
            messages=messages,
            notes=await self._all(FiledNote, _NOTES, given),
            runs=runs,
            reviews=await self._all(FiledReview, _REVIEWS, given),
            attachments=await self._all(FiledAttachment, _ATTACHMENTS, given),
            orders=await orders.of_customer(
                request.customer_email,
                named_by=request.integration_id,
                order_ids=request.order_ids,
                limit=MOST_EVENTS,
            ),
        )

    async def _all(
        self, shape: type[_Filed], query: sa.TextClause, given: dict[str, object]
    ) -> tuple[_Filed, ...]:
        rows = await self._connection.execute(query, given)
        return tuple(shape.model_validate(row, from_attributes=True) for row in rows)
