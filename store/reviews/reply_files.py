"""The files that members attach to replies. A file is uploaded first, and is attached when the
reply is written."""

import hashlib
from collections.abc import Sequence
from datetime import datetime
from typing import Final

import sqlalchemy as sa

from domain.core.attached_file import AttachedFile
from domain.core.plain_text import clean_line
from domain.intake.attachment import (
    DELETED,
    Attachment,
    AttachmentState,
    clean_file_name,
)
from domain.intake.attachment_type import Inspected, MediaType, download_name
from domain.intake.errors import AttachmentNotFound
from store.core.repository import TenantRepository
from store.intake.attachments import AttachmentRepository
from store.intake.tables import attachment_chunks, attachments
from store.runs.tables import engine_messages

_FILES: Final = attachments.c
_COLUMNS: Final = tuple(_FILES[name] for name in Attachment.model_fields)
_CLAIM_CHARS: Final = 200
# The digest of a deleted file because exports require a digest.
_EMPTY: Final = hashlib.sha256().digest()


class ReplyFileRepository(TenantRepository):
    async def add(
        self, file_id: str, event_id: str, found: Inspected, *, author: str, now: datetime
    ) -> Attachment:
        """Store an accepted file for a later reply to an event's message, and return it."""
        added = Attachment(
            id=file_id,
            event_id=event_id,
            name=clean_file_name(found.file.name),
            media_type=found.media_type,
            size=len(found.file.data),
            state=AttachmentState.STORED,
            reason=None,
            created_at=now,
        )
        await self._connection.execute(
            sa.insert(attachments).values(
                **added.model_dump(),
                client_id=self._tenant,
                position=0,
                claimed_type=clean_line(found.file.claimed_type, _CLAIM_CHARS),
                digest=found.digest,
                uploaded_by=author,
            )
        )
        await AttachmentRepository(self._connection, self._tenant).store_chunks(
            file_id, found.file.data
        )
        return added

    async def unsent(self, conversation_id: str, author: str) -> tuple[Attachment, ...]:
        """Return the files in a conversation that this author has uploaded, and that no reply
        contains yet. The oldest file comes first."""
        rows = await self._connection.execute(
            sa.select(*_COLUMNS)
            .where(self._is_unsent_in(conversation_id), _FILES.uploaded_by == author)
            .order_by(_FILES.id)
        )
        return tuple(Attachment.model_validate(row, from_attributes=True) for row in rows)

    async def of_reply(self, reply_id: str) -> tuple[Attachment, ...]:
        """Return the files of a reply, oldest first."""
        return (await self.of_replies((reply_id,))).get(reply_id, ())

    async def of_replies(self, reply_ids: Sequence[str]) -> dict[str, tuple[Attachment, ...]]:
        """Return the files of these replies, keyed by reply id. Replies without files are
        omitted."""
        rows = await self._connection.execute(
            sa.select(*_COLUMNS, _FILES.reply_id)
            .where(_FILES.client_id == self._tenant, _FILES.reply_id.in_(reply_ids))
            .order_by(_FILES.id)
        )
        found: dict[str, tuple[Attachment, ...]] = {}
        for row in rows:
            one = Attachment.model_validate(row, from_attributes=True)
            found[row.reply_id] = (*found.get(row.reply_id, ()), one)
        return found

    async def content_of(self, reply_id: str) -> tuple[AttachedFile, ...]:
        """Return the files of a reply with their content, oldest first."""
        reader = AttachmentRepository(self._connection, self._tenant)
        return tuple(
            [
                AttachedFile(
                    download_name(one.name, MediaType(one.media_type)),
                    one.media_type,
                    await reader.whole(one.id),
                )
                for one in await self.of_reply(reply_id)
                if one.media_type is not None
            ]
        )

    async def attach(
        self,
        file_ids: Sequence[str],
        conversation_id: str,
        *,
        reply_id: str,
        event_id: str,
        author: str,
    ) -> None:
        """Add files that the author has uploaded in a conversation to a reply that answers an
        event. Raises AttachmentNotFound if one of the files does not exist or is in another
        reply."""
        attached = await self._connection.scalars(
            sa.update(attachments)
            .where(
                self._is_unsent_in(conversation_id),
                _FILES.uploaded_by == author,
                _FILES.id.in_(file_ids),
            )
            .values(reply_id=reply_id, event_id=event_id)
            .returning(_FILES.id)
        )
        missing = set(file_ids) - set(attached)
        if missing:
            raise AttachmentNotFound(min(missing))

    async def detach(self, *reply_ids: str) -> None:
        """Return the files of replies to their author, who can then attach them to another
        reply."""
        await self._connection.execute(
            sa.update(attachments)
            .where(_FILES.client_id == self._tenant, _FILES.reply_id.in_(reply_ids))
            .values(reply_id=None)
        )

    async def remove(self, file_id: str, conversation_id: str) -> None:
        """Delete a member's uploaded file that no reply contains. Its row remains without name and
        content for the daily limits. Raises AttachmentNotFound."""
        removed = await self._connection.execute(
            sa.update(attachments)
            .where(self._is_unsent_in(conversation_id), _FILES.id == file_id)
            .values(
                state=AttachmentState.REFUSED,
                reason=DELETED,
                name="",
                claimed_type="",
                media_type=None,
                digest=_EMPTY,
            )
        )
        if not removed.rowcount:
            raise AttachmentNotFound(file_id)
        # A file for a reply has at most MAX_REPLY_BYTES, so one statement removes its chunks.
        chunks = attachment_chunks.c
        await self._connection.execute(
            sa.delete(attachment_chunks).where(
                chunks.client_id == self._tenant, chunks.attachment_id == file_id
            )
        )

    def _is_unsent_in(self, conversation_id: str) -> sa.ColumnElement[bool]:
        messages = engine_messages.c
        in_conversation = sa.select(messages.event_id).where(
            messages.client_id == self._tenant,
            messages.conversation_id == conversation_id,
            messages.direction == "inbound",
        )
        return sa.and_(
            _FILES.client_id == self._tenant,
            _FILES.uploaded_by.is_not(None),
            _FILES.reply_id.is_(None),
            _FILES.state == AttachmentState.STORED,
            _FILES.event_id.in_(in_conversation),
        )
