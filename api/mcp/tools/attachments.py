"""A message's attachments. The model receives their metadata, never their content."""

from collections.abc import Iterable

from pydantic import Field

from api.mcp.results import McpPart, Untrusted, untrusted
from domain.intake.attachment import MAX_NAME_CHARS, Attachment, AttachmentState


class McpAttachment(McpPart):
    attachment_id: str
    name: Untrusted | None
    media_type: str | None = Field(
        description=(
            "Media type, detected from the content; null if files of this type are not stored."
        )
    )
    size: int = Field(description="Size of the file in bytes.")
    state: AttachmentState
    reason: str | None = Field(
        description=("Stable error code that states why the attachment was rejected, or null.")
    )


def shown_attachments(attachments: Iterable[Attachment]) -> tuple[McpAttachment, ...]:
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
