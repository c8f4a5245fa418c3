"""The storage used by attachments: its total size, and the removal of attachments in batches."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

import sqlalchemy as sa

from domain.core.ids import first_ulid
from domain.intake.attachment import DELETED
from store.core.repository import TenantRepository
from store.intake.tables import attachments
from store.runs.tables import engine_messages

CHUNKS_AT_ONCE: Final = 100
"""The number of chunks that one statement removes, 25 MiB in total. Removing a thousand chunks
would exceed the statement timeout."""

_REMOVE: Final = sa.text("""
    DELETE FROM attachment_chunks WHERE (client_id, attachment_id, seq) IN (
        SELECT chunk.client_id, chunk.attachment_id, chunk.seq
        FROM attachments AS attachment
        JOIN attachment_chunks AS chunk
          ON chunk.client_id = attachment.client_id AND chunk.attachment_id = attachment.id
        WHERE attachment.client_id = :client_id AND attachment.event_id = ANY(:events)
        LIMIT :limit)
""")

_IS_UNPROVED: Final = attachments.c.uploaded_by.is_(None) & sa.exists().where(
    engine_messages.c.client_id == attachments.c.client_id,
    engine_messages.c.event_id == attachments.c.event_id,
    engine_messages.c.direction == "inbound",
    engine_messages.c.is_claim,
)


class AttachmentBytes(TenantRepository):
    async def remove_some(self, event_ids: Sequence[str]) -> int:
        """Remove a batch of chunks of these events' attachments. Return the number of chunks
        removed, or 0 if none is left."""
        removed = await self._connection.execute(
            _REMOVE,
            {"client_id": self._tenant, "events": list(event_ids), "limit": CHUNKS_AT_ONCE},
        )
        return removed.rowcount

    async def kept(self, *, since: datetime | None = None, only_unproved: bool = False) -> int:
        """Return the number of bytes stored for the client's attachments. `since` counts only later
        attachments, with members' deleted files. If `only_unproved` is true, only attachments from
        unverified senders are counted."""
        table = attachments.c
        is_counted = table.state == "stored"
        if since:
            is_counted |= table.reason == DELETED
        total = await self._connection.scalar(
            sa.select(sa.func.coalesce(sa.func.sum(table.size), 0)).where(
                table.client_id == self._tenant,
                is_counted,
                # Ids are ordered by time, so these rows are at the end of the primary key index.
                table.id >= first_ulid(since) if since else sa.true(),
                _IS_UNPROVED if only_unproved else sa.true(),
            )
        )
        return int(total or 0)

    async def uploads(self, since: datetime) -> int:
        """Return the number of files that the client's members have uploaded since `since`,
        including deleted files."""
        table = attachments.c
        count = await self._connection.scalar(
            sa.select(sa.func.count()).where(
                table.client_id == self._tenant,
                table.id >= first_ulid(since),
                table.uploaded_by.is_not(None),
            )
        )
        return int(count or 0)
