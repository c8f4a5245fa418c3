"""Stored events, both as received and as normalized."""

from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB

from domain.intake.customer_email import customer_key
from domain.intake.event import InboundEvent, UnifiedEvent
from domain.runs.errors import RunNotFound
from store.core.repository import TenantRepository
from store.intake.tables import engine_events
from store.runs.tickets import TICKET, Ticket


class EventRepository(TenantRepository):
    async def inbound(self, event_id: str) -> InboundEvent:
        """Return the event as it was received. Raises RunNotFound if the event was erased."""
        row = await self._one(_INBOUND, self._key(event_id), RunNotFound(event_id))
        return InboundEvent.model_validate(row, from_attributes=True)

    async def unified(self, event_id: str) -> UnifiedEvent | None:
        """Return the normalized event, or None before normalization."""
        row = (await self._connection.execute(_UNIFIED, self._key(event_id))).one_or_none()
        if row is None:
            return None
        return UnifiedEvent.model_validate(
            {**row.unified, "subject": row.subject, "text": row.text}
        )

    async def ticket(self, event_id: str) -> Ticket:
        """Return the ticket to which an event refers, even if the event could not be normalized."""
        found = (await self._connection.execute(_TICKET, self._key(event_id))).one()
        return Ticket(found.ticket_id, found.customer_email)

    async def save_unified(
        self,
        event_id: str,
        event: UnifiedEvent,
        *,
        conversation_id: str,
        written: str | None = None,
    ) -> datetime | None:
        """Store a normalized event, and assign its message to the conversation. Idempotent. Return
        the message's arrival, or None if it was erased.

        `written` is the message's text, if it differs because the event repeats an earlier
        question.
        """
        arrived_at: datetime | None = await self._connection.scalar(
            _SAVE_UNIFIED,
            {
                **self._key(event_id),
                "subject": event.subject,
                "text": event.text,
                "unified": event.model_dump(mode="json", exclude={"subject", "text"}),
                "conversation_id": conversation_id,
                "channel": event.channel,
                "normalized_key": customer_key(event.customer_email) or "",
                "body": event.text if written is None else written,
            },
        )
        return arrived_at

    async def outcome(self, event_id: str) -> tuple[str, str] | None:
        """Return (outcome, event_type) of a stored event, or None if there is no such event."""
        row = (
            await self._connection.execute(
                sa.select(engine_events.c.outcome, engine_events.c.event_type).where(_IS_EVENT),
                self._key(event_id),
            )
        ).one_or_none()
        return (row.outcome, row.event_type) if row is not None else None

    async def store_reply(
        self, event_id: str, *, message_id: str, author: str, body: str, now: datetime
    ) -> None:
        """Store the answer to an event as a message in the same conversation. Idempotent: an event
        has only one answer."""
        await self._connection.execute(
            _STORE_REPLY,
            {
                **self._key(event_id),
                "reply": message_id,
                "said_by": author,
                "said": body,
                "now": now,
            },
        )

    def _key(self, event_id: str) -> dict[str, str]:
        return {"tenant": self._tenant, "event": event_id}


_IS_EVENT: Final = sa.and_(
    engine_events.c.client_id == sa.bindparam("tenant"), engine_events.c.id == sa.bindparam("event")
)
_INBOUND: Final = sa.select(*(engine_events.c[name] for name in InboundEvent.model_fields)).where(
    _IS_EVENT, engine_events.c.erased_at.is_(None)
)
_UNIFIED: Final = sa.select(
    engine_events.c.unified, engine_events.c.subject, engine_events.c.text
).where(_IS_EVENT, engine_events.c.unified.is_not(None))
# The SQL for `UnifiedEvent.sender_authenticated`: whether the sender's address in a normalized
# `event` was verified. Older events do not store this value.
IS_AUTHENTICATED: Final = """coalesce(
    event.unified -> 'customer_verified' = 'true'
    AND coalesce(event.unified -> 'sender_authenticated', 'true') = 'true', false)"""
_TICKET: Final = sa.select(*TICKET).where(_IS_EVENT)
# The second update reads the result of the first, so that the event is locked before its message.
_SAVE_UNIFIED: Final = sa.text("""
    WITH event AS (
        UPDATE engine_events SET subject = :subject, text = :text, unified = :unified
        WHERE client_id = :tenant AND id = :event
        RETURNING client_id, id
    )
    UPDATE engine_messages AS message
    SET conversation_id = :conversation_id, channel = :channel,
        normalized_key = :normalized_key, body = :body
    FROM event
    WHERE message.client_id = event.client_id AND message.event_id = event.id
      AND message.direction = 'inbound'
    RETURNING message.created_at
""").bindparams(sa.bindparam("unified", type_=JSONB))
_STORE_REPLY: Final = sa.text("""
    INSERT INTO engine_messages (client_id, id, event_id, conversation_id, direction, channel,
                                 author, body, created_at)
    SELECT client_id, :reply, event_id, conversation_id, 'outbound', channel, :said_by, :said, :now
    FROM engine_messages
    WHERE client_id = :tenant AND event_id = :event AND direction = 'inbound'
    ON CONFLICT (client_id, event_id, direction) DO NOTHING
""")
