"""The response with the content of an attachment, for members and for visitors of the widget."""

from collections.abc import AsyncGenerator
from typing import Final

from starlette.responses import Response

from api.http.disposition import content_disposition
from api.http.long_response import ExportResponse
from api.openapi import LIMIT_HEADERS, Described
from api.resources import Resources
from domain.core.ids import TenantId
from domain.intake.attachment import Attachment
from domain.intake.attachment_type import SHOWN_INLINE, MediaType, download_name
from domain.intake.errors import AttachmentNotFound
from store.intake.attachments import AttachmentRepository

ATTACHMENT: Final[Described] = {
    "headers": {
        **LIMIT_HEADERS,
        "Content-Disposition": {
            "schema": {"type": "string"},
            "description": "`attachment`, or `inline` for an image on request, with the file name.",
        },
    },
    "content": {
        media_type.value: {"schema": {"type": "string", "format": "binary"}}
        for media_type in MediaType
    },
}
"""The OpenAPI description of the response."""

# The content is untrusted. These headers prevent browsers from executing it.
_HARMLESS: Final = {
    "x-content-type-options": "nosniff",
    "content-security-policy": "sandbox; default-src 'none'",
    "cross-origin-resource-policy": "same-origin",
}


def attachment_response(
    found: Attachment, tenant: TenantId, resources: Resources, *, is_inline: bool = False
) -> Response:
    """Return the content of an attachment. If `is_inline` is true, browsers display an image
    instead of saving it. Raises AttachmentNotFound for a refused attachment, which is not
    stored."""
    if found.media_type is None:
        raise AttachmentNotFound(found.id)
    media_type = MediaType(found.media_type)
    return ExportResponse(
        _pieces(found, tenant, resources),
        {
            "content-type": media_type,
            "content-length": str(found.size),
            "content-disposition": content_disposition(
                "inline" if is_inline and media_type in SHOWN_INLINE else "attachment",
                download_name(found.name, media_type),
            ),
            **_HARMLESS,
        },
        resources.gateway_traffic,
    )


async def _pieces(
    found: Attachment, tenant: TenantId, resources: Resources
) -> AsyncGenerator[bytes]:
    """Yield the parts of the attachment, each read in its own transaction, so that a slow download
    occupies no connection. Raises AttachmentNotFound, also after an erasure."""
    sent = seq = 0
    while sent < found.size:
        async with resources.database.reading(tenant) as connection:
            piece = await AttachmentRepository(connection, tenant).chunk(found.id, seq)
        if piece is None:
            raise AttachmentNotFound(found.id)
        sent += len(piece)
        seq += 1
        yield piece
