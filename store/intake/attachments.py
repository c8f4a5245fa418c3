"""Attachments of events: their public metadata, and their content in chunks."""

from collections.abc import AsyncGenerator, Sequence
from datetime import datetime, timedelta
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.plain_text import clean_line
from domain.core.ports import NewId
from domain.intake.attachment import (
    DELETED,
    MAX_DAY_BYTES,
    MAX_DAY_BYTES_WITHOUT_PLAN,
    MAX_DAY_UNPROVED_BYTES,
    MAX_DAY_UNPROVED_BYTES_WITHOUT_PLAN,
    MAX_DAY_UPLOADS,
    Attachment,
    AttachmentState,
    clean_file_name,
)
from domain.intake.attachment_type import Inspected, within
from domain.intake.errors import AttachmentNotFound, AttachmentRefused
from domain.intake.refused_file import AttachmentRefusal
from domain.integrations.mail_allowance import is_accountable
from store.core.repository import TenantRepository, owner_of
from store.intake.attachment_bytes import AttachmentBytes
from store.intake.tables import attachment_chunks, attachments
from store.tenants.accounts import AccountRepository

CHUNK: Final = 256 * 1024
"""Size of a chunk in bytes. A reader holds one chunk in memory at a time."""

# The number of chunks that one statement stores. The driver holds these chunks in memory during the
# statement.
_CHUNKS_AT_ONCE: Final = 8
_CLAIM_CHARS: Final = 200
_DAY: Final = timedelta(days=1)

_COLUMNS: Final = tuple(attachments.c[name] for name in Attachment.model_fields)
_OF_EVENTS: Final = (
    sa.select(*_COLUMNS)
    .where(
        attachments.c.client_id == sa.bindparam("tenant"),
        attachments.c.event_id == sa.func.any(sa.bindparam("events", type_=sa.ARRAY(sa.Text))),
        attachments.c.uploaded_by.is_(None),
    )
    .order_by(attachments.c.event_id, attachments.c.position)
)
_ONE: Final = sa.select(*_COLUMNS).where(
    attachments.c.client_id == sa.bindparam("tenant"),
    attachments.c.id == sa.bindparam("attachment"),
    attachments.c.reason.is_distinct_from(DELETED),
)
_CHUNK: Final = sa.select(attachment_chunks.c.data).where(
    attachment_chunks.c.client_id == sa.bindparam("tenant"),
    attachment_chunks.c.attachment_id == sa.bindparam("attachment"),
    attachment_chunks.c.seq == sa.bindparam("seq"),
)


client_of_attachment: Final = owner_of(attachments, AttachmentNotFound)


async def attachments_of(
    connection: AsyncConnection, client_id: str, event_ids: Sequence[str]
) -> dict[str, tuple[Attachment, ...]]:
    """Return the attachments that customers sent with these events, keyed by event id, in order of
    arrival. Events without attachments are omitted."""
    rows = await connection.execute(_OF_EVENTS, {"tenant": client_id, "events": list(event_ids)})
    found: dict[str, tuple[Attachment, ...]] = {}
    for row in rows:
        one = Attachment.model_validate(row, from_attributes=True)
        found[one.event_id] = (*found.get(one.event_id, ()), one)
    return found


class AttachmentRepository(TenantRepository):
    async def store(
        self,
        event_id: str,
        inspected: Sequence[Inspected],
        *,
        is_unproved: bool,
        now: datetime,
        new_id: NewId,
    ) -> tuple[Attachment, ...]:
        """Store an event's attachments in the transaction that stores the event. Return the stored
        and the refused ones.

        A refused one is stored with its reason instead of its content. The caller inspects
        attachments before the transaction, which locks the account.
        """
        if not inspected:
            return ()
        inspected = within(inspected, await self.room(now, is_unproved=is_unproved))
        found = tuple(_described(one, event_id, new_id(), now) for one in inspected)
        await self._connection.execute(
            sa.insert(attachments),
            [
                {
                    **attachment.model_dump(),
                    "client_id": self._tenant,
                    "position": position,
                    "claimed_type": clean_line(one.file.claimed_type, _CLAIM_CHARS),
                    "digest": one.digest,
                }
                for position, (attachment, one) in enumerate(zip(found, inspected, strict=True))
            ],
        )
        for attachment, one in zip(found, inspected, strict=True):
            if attachment.state is AttachmentState.STORED:
                await self.store_chunks(attachment.id, one.file.data)
        return found

    async def of_event(self, event_id: str) -> tuple[Attachment, ...]:
        """Return the attachments of an event, in order of arrival."""
        return (await self.of_events((event_id,))).get(event_id, ())

    async def of_events(self, event_ids: Sequence[str]) -> dict[str, tuple[Attachment, ...]]:
        """Return the attachments of these events, keyed by event id. Events without attachments are
        omitted."""
        return await attachments_of(self._connection, self._tenant, event_ids)

    async def read(self, attachment_id: str) -> Attachment:
        """Return an attachment. Raises AttachmentNotFound."""
        row = await self._one(
            _ONE,
            {"tenant": self._tenant, "attachment": attachment_id},
            AttachmentNotFound(attachment_id),
        )
        return Attachment.model_validate(row, from_attributes=True)

    async def chunk(self, attachment_id: str, seq: int) -> bytes | None:
        """Return one chunk of an attachment by its zero-based index. Return None after the last
        chunk, or if the attachment was refused."""
        data: bytes | None = await self._connection.scalar(
            _CHUNK, {"tenant": self._tenant, "attachment": attachment_id, "seq": seq}
        )
        return data

    async def chunks(self, attachment_id: str) -> AsyncGenerator[bytes]:
        """Yield all chunks of an attachment, one at a time. The transaction must stay open until
        the last chunk."""
        seq = 0
        while (data := await self.chunk(attachment_id, seq)) is not None:
            yield data
            seq += 1

    async def whole(self, attachment_id: str) -> bytes:
        """Return the whole content of an attachment. Use this method only for an attachment that is
        known to be small."""
        return b"".join([chunk async for chunk in self.chunks(attachment_id)])

    async def room(self, now: datetime, *, is_unproved: bool) -> int:
        """Return the number of bytes that the client may still store today, with a lower limit for
        unverified senders. Raises ClientNotFound."""
        subscription = await AccountRepository(self._connection, self._tenant).subscription()
        most, most_unproved = MAX_DAY_BYTES, MAX_DAY_UNPROVED_BYTES
        if not is_accountable(subscription, now):
            most, most_unproved = MAX_DAY_BYTES_WITHOUT_PLAN, MAX_DAY_UNPROVED_BYTES_WITHOUT_PLAN
        kept = AttachmentBytes(self._connection, self._tenant)
        room = most - await kept.kept(since=now - _DAY)
        if is_unproved:
            unproved = await kept.kept(since=now - _DAY, only_unproved=True)
            room = min(room, most_unproved - unproved)
        return room

    async def check_upload(self, size: int, now: datetime) -> None:
        """Raise AttachmentRefused if a member may not upload a file of `size` bytes today. Raises
        ClientNotFound."""
        uploads = await AttachmentBytes(self._connection, self._tenant).uploads(now - _DAY)
        if uploads >= MAX_DAY_UPLOADS or size > await self.room(now, is_unproved=False):
            raise AttachmentRefused(AttachmentRefusal.TOO_MUCH)

    async def store_chunks(self, attachment_id: str, data: bytes) -> None:
        """Store the content of an attachment."""
        step = CHUNK * _CHUNKS_AT_ONCE
        for begin in range(0, len(data), step):
            await self._connection.execute(
                sa.insert(attachment_chunks),
                [
                    {
                        "client_id": self._tenant,
                        "attachment_id": attachment_id,
                        "seq": place // CHUNK,
                        "data": data[place : place + CHUNK],
                    }
                    for place in range(begin, min(begin + step, len(data)), CHUNK)
                ],
            )


def _described(one: Inspected, event_id: str, attachment_id: str, now: datetime) -> Attachment:
    return Attachment(
        id=attachment_id,
        event_id=event_id,
        name=clean_file_name(one.file.name),
        media_type=one.media_type,
        size=len(one.file.data),
        state=AttachmentState.STORED if one.refusal is None else AttachmentState.REFUSED,
        reason=one.refusal,
        created_at=now,
    )
