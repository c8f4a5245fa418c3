"""The records of files that customers sent."""

from typing import Annotated

from pydantic import Field

from domain.exports.record import BigCount, Id, Record, Time


class AttachmentRecord(Record):
    """A file that came with a message. Its bytes are fetched one by one (`GET
    /api/dashboard/attachments/{id}`). An import leaves the record out, since it has no bytes."""

    id: Annotated[Id, Field(description="ULID of the file.")]
    event_id: Annotated[Id, Field(description="ULID of the event that the file belongs to.")]
    position: Annotated[
        BigCount, Field(description="Position among the event's files, starting at 0.")
    ]
    name: Annotated[str, Field(description="File name given by the sender, without folders.")]
    claimed_type: Annotated[str, Field(description="Media type given by the sender.")]
    media_type: Annotated[
        str | None,
        Field(description="Media type detected from the bytes; null if the type is not stored."),
    ]
    size: Annotated[BigCount, Field(description="Size in bytes.")]
    sha256: Annotated[
        str, Field(pattern="^[0-9a-f]{64}$", description="SHA-256 of the bytes, in hexadecimal.")
    ]
    state: Annotated[str, Field(description="`stored`, or `refused` if the bytes are not kept.")]
    reason: Annotated[
        str | None, Field(description="Reason for the refusal; null if the file is stored.")
    ]
    created_at: Annotated[Time, Field(description="Time when the file was received.")]
