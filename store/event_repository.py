"""Stored events, as they came and as normalized."""

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.event import InboundEvent, UnifiedEvent
from domain.ids import TenantId
from store.tables import engine_events, engine_messages


class EventRepository:
    def __init__(self, connection: AsyncConnection, tenant: TenantId) -> None:
        self._connection = connection
        self._tenant = tenant

    async def inbound(self, event_id: str) -> InboundEvent:
        """The event as it was admitted."""
        row = (
            await self._connection.execute(
                sa.select(
                    engine_events.c.event_type,
                    engine_events.c.source,
                    engine_events.c.customer_email,
                    engine_events.c.message,
                    engine_events.c.payload,
                ).where(self._is(event_id))
            )
        ).one()
        return InboundEvent.model_validate(row, from_attributes=True)

    async def save_unified(
        self, event_id: str, event: UnifiedEvent, *, conversation_id: str
    ) -> None:
        """Store the normalized event and put its message into the conversation; idempotent."""
        await self._connection.execute(
            sa.update(engine_events)
            .where(self._is(event_id))
            .values(
                subject=event.subject,
                text=event.text,
                unified=event.model_dump(mode="json", exclude={"subject", "text"}),
            )
        )
        await self._connection.execute(
            sa.update(engine_messages)
            .where(
                engine_messages.c.client_id == self._tenant,
                engine_messages.c.event_id == event_id,
                engine_messages.c.direction == "inbound",
            )
            .values(conversation_id=conversation_id, channel=event.channel, body=event.text)
        )

    async def outcome(self, event_id: str) -> tuple[str, str] | None:
        """(outcome, event_type) of a stored event, None if there is none."""
        row = (
            await self._connection.execute(
                sa.select(engine_events.c.outcome, engine_events.c.event_type).where(
                    self._is(event_id)
                )
            )
        ).one_or_none()
        return (row.outcome, row.event_type) if row is not None else None

    async def store_reply(
        self, event_id: str, *, message_id: str, author: str, body: str, now: datetime
    ) -> None:
        """Store the one answer to an event, beside the message it answers; idempotent."""
        inbound = sa.select(
            engine_messages.c.client_id,
            sa.literal(message_id),
            engine_messages.c.event_id,
            engine_messages.c.conversation_id,
            sa.literal("outbound"),
            engine_messages.c.channel,
            sa.literal(author),
            sa.literal(body),
            sa.literal(now),
        ).where(
            engine_messages.c.client_id == self._tenant,
            engine_messages.c.event_id == event_id,
            engine_messages.c.direction == "inbound",
        )
        columns = [
            "client_id", "id", "event_id", "conversation_id", "direction", "channel", "author",
            "body", "created_at",
        ]  # fmt: skip
        await self._connection.execute(
            insert(engine_messages)
            .from_select(columns, inbound)
            .on_conflict_do_nothing(index_elements=["client_id", "event_id", "direction"])
        )

    def _is(self, event_id: str) -> sa.ColumnElement[bool]:
        return sa.and_(engine_events.c.client_id == self._tenant, engine_events.c.id == event_id)
