"""Attachments of a message: metadata for the model, never the bytes."""

from collections.abc import Iterable

from pydantic import Field

from api.mcp.results import ToldPart, Untrusted, untrusted
from domain.intake.attachment import MAX_NAME_CHARS, Attachment, AttachmentState


class ToldAttachment(ToldPart):
    attachment_id: str
    name: Untrusted | None
    media_type: str | None = Field(description="By its bytes; null: nothing that is kept.")
    size: int = Field(description="Bytes.")
    state: AttachmentState
    reason: str | None = Field(description="Why it was refused.")


def told_attachments(attachments: Iterable[Attachment]) -> tuple[ToldAttachment, ...]:
    return tuple(
        ToldAttachment(
            attachment_id=one.id,
            name=untrusted(one.name, MAX_NAME_CHARS),
            media_type=one.media_type,
            size=one.size,
            state=one.state,
            reason=one.reason,
        )
        for one in attachments
    )
