"""The records of files that customers sent."""

from typing import Annotated

from pydantic import Field

from domain.exports.record import BigCount, Id, Record, Time


class AttachmentRecord(Record):
    """A file that came with a message. Its bytes are fetched one by one (`GET
    /api/dashboard/attachments/{id}`). An import leaves the record out, since it has no bytes."""

    id: Annotated[Id, Field(description="ULID of the file.")]
    event_id: Annotated[Id, Field(description="The event that it came with.")]
    position: Annotated[BigCount, Field(description="Its place among the event's files, from 0.")]
    name: Annotated[str, Field(description="As the sender called it, without folders.")]
    claimed_type: Annotated[str, Field(description="What the sender said it is.")]
    media_type: Annotated[
        str | None, Field(description="What its bytes say; null: nothing that is kept.")
    ]
    size: Annotated[BigCount, Field(description="Bytes.")]
    sha256: Annotated[
        str, Field(pattern="^[0-9a-f]{64}$", description="Of its bytes, in hexadecimal.")
    ]
    state: Annotated[str, Field(description="`stored`, or `refused`: its bytes are not kept.")]
    reason: Annotated[str | None, Field(description="Why it was refused.")]
    created_at: Annotated[Time, Field(description="When it came.")]
