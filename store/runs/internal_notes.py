"""Internal notes that members write in conversations, never sent and never read by the agent. Only
the thread and customer pages, the export, the customer file and the erasure may read this table."""

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa

from domain.runs.teammate_reply import InternalNote
from store.core.repository import TenantRepository
from store.runs.tables import conversation_notes, engine_messages


class InternalNoteRepository(TenantRepository):
    async def add(self, note: InternalNote, conversation_id: str, event_id: str) -> None:
        """Store a note. It is deleted with the customer's latest message, the event `event_id`."""
        await self._connection.execute(
            sa.insert(conversation_notes).values(
                client_id=self._tenant,
                conversation_id=conversation_id,
                event_id=event_id,
                **note.model_dump(),
            )
        )

    async def listed(
        self,
        conversation_id: str,
        *,
        since: datetime | None,
        before: str | None = None,
        limit: int,
    ) -> tuple[InternalNote, ...]:
        """Return a conversation's latest notes, oldest first: those since `since`, and those before
        the message with the id `before`. None disables a filter."""
        notes, messages = conversation_notes.c, engine_messages.c
        until = sa.select(messages.created_at).where(
            messages.client_id == self._tenant, messages.id == before
        )
        found = await self._connection.execute(
            sa.select(conversation_notes)
            .where(
                notes.client_id == self._tenant,
                notes.conversation_id == conversation_id,
                *(() if since is None else (notes.created_at >= since,)),
                *(() if before is None else (notes.created_at < until.scalar_subquery(),)),
            )
            .order_by(notes.created_at.desc(), notes.id.desc())
            .limit(limit)
        )
        latest = [InternalNote.model_validate(row, from_attributes=True) for row in found]
        return tuple(reversed(latest))

    async def latest(self, conversation_ids: Sequence[str], limit: int) -> tuple[InternalNote, ...]:
        """Return the latest notes in these conversations, latest first."""
        notes = conversation_notes.c
        found = await self._connection.execute(
            sa.select(conversation_notes)
            .where(notes.client_id == self._tenant, notes.conversation_id.in_(conversation_ids))
            .order_by(notes.created_at.desc(), notes.id.desc())
            .limit(limit)
        )
        return tuple(InternalNote.model_validate(row, from_attributes=True) for row in found)
