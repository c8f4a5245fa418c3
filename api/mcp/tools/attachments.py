"""Attachments of a message: metadata for the model, never the bytes."""

from collections.abc import Iterable

from pydantic import Field

from api.mcp.results import McpPart, Untrusted, untrusted
from domain.intake.attachment import MAX_NAME_CHARS, Attachment, AttachmentState


class McpAttachment(McpPart):
    attachment_id: str
    name: Untrusted | None
    media_type: str | None = Field(
        description="Media type, detected from the content; null for a type that is not stored."
    )
    size: int = Field(description="Size in bytes.")
    state: AttachmentState
    reason: str | None = Field(description="Stable code for the refusal, or null.")


def told_attachments(attachments: Iterable[Attachment]) -> tuple[McpAttachment, ...]:
    return tuple(
        McpAttachment(
            attachment_id=one.id,
            name=untrusted(one.name, MAX_NAME_CHARS),
            media_type=one.media_type,
            size=one.size,
            state=one.state,
            reason=one.reason,
        )
        for one in attachments
    )
