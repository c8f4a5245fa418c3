"""Export record for a file that a customer sent."""

from typing import Annotated

from pydantic import Field

from domain.exports.record import BigCount, Id, Record, Time


class AttachmentRecord(Record):
    """A file that a customer sent with a message. The record does not contain the file's bytes.
    Download the files one at a time (`GET /api/dashboard/attachments/{id}`). An import skips this
    record because it has no bytes."""

    id: Annotated[Id, Field(description="ULID of the file.")]
    event_id: Annotated[Id, Field(description="ULID of the event that the file belongs to.")]
    position: Annotated[BigCount, Field(description="Zero-based position among the event's files.")]
    name: Annotated[str, Field(description="File name given by the sender, without folders.")]
    claimed_type: Annotated[str, Field(description="Media type given by the sender.")]
    media_type: Annotated[
        str | None,
        Field(
            description=(
                "Media type detected from the bytes; null if the service does not store files of "
                "this type."
            )
        ),
    ]
    size: Annotated[BigCount, Field(description="Size in bytes.")]
    sha256: Annotated[
        str, Field(pattern="^[0-9a-f]{64}$", description="SHA-256 of the bytes, in hexadecimal.")
    ]
    state: Annotated[
        str,
        Field(
            description=("Status of the file: `stored`, or `refused` if its bytes are not stored.")
        ),
    ]
    reason: Annotated[
        str | None,
        Field(description=("Reason why the file was refused; null if the file is stored.")),
    ]
    created_at: Annotated[Time, Field(description="Time when the file was received.")]
