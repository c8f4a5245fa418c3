"""GET /api/dashboard/attachments/{attachment_id}: the content of a customer's attachment."""

from collections.abc import AsyncGenerator
from typing import Annotated, Final

from fastapi import APIRouter, Depends
from starlette.responses import Response

from api.access import InClientOf, MemberAt
from api.http.disposition import content_disposition
from api.http.long_response import ExportResponse
from api.openapi import LIMIT_HEADERS
from api.resources import Resources, ResourcesDep
from api.route import DescribedRoute, PathId, StrictQuery
from api.schemas.intake.attachment import AttachmentQuery
from domain.core.ids import TenantId
from domain.intake.attachment import Attachment
from domain.intake.attachment_type import SHOWN_INLINE, MediaType, download_name
from domain.intake.errors import AttachmentNotFound
from domain.tenants.actor import ANYONE
from store.intake.attachments import AttachmentRepository, client_of_attachment

router = APIRouter(route_class=DescribedRoute)

_ID: Final = PathId("attachment_id", "attachment", AttachmentNotFound)
Reader = Annotated[MemberAt, Depends(InClientOf(ANYONE, _ID, client_of_attachment))]
# The content is untrusted. These headers prevent browsers from executing it.
_HARMLESS: Final = {
    "x-content-type-options": "nosniff",
    "content-security-policy": "sandbox; default-src 'none'",
    "cross-origin-resource-policy": "same-origin",
}


@router.get(
    "/api/dashboard/attachments/{attachment_id}",
    operation_id="attachments.download",
    summary="Download a customer's attachment",
    response_class=Response,
    responses={
        200: {
            "headers": {
                **LIMIT_HEADERS,
                "Content-Disposition": {
                    "schema": {"type": "string"},
                    "description": "`attachment`, or `inline` for an image on request, with the "
                    "file name.",
                },
            },
            "content": {
                media_type.value: {"schema": {"type": "string", "format": "binary"}}
                for media_type in MediaType
            },
        },
    },
)
async def attachment(
    reader: Reader,
    query: Annotated[AttachmentQuery, Depends(StrictQuery(AttachmentQuery))],
    resources: ResourcesDep,
) -> Response:
    """Any member of the client may call this operation with a session token. A rejected attachment
    returns 404, because its content is not stored."""
    async with resources.database.reading(reader.tenant) as connection:
        found = await AttachmentRepository(connection, reader.tenant).read(reader.record_id)
    if found.media_type is None:
        raise AttachmentNotFound(reader.record_id)
    media_type = MediaType(found.media_type)
    is_inline = query.inline and media_type in SHOWN_INLINE
    return ExportResponse(
        _pieces(found, reader.tenant, resources),
        {
            "content-type": media_type,
            "content-length": str(found.size),
            "content-disposition": content_disposition(
                "inline" if is_inline else "attachment", download_name(found.name, media_type)
            ),
            **_HARMLESS,
        },
        resources.gateway_traffic,
    )


async def _pieces(
    found: Attachment, tenant: TenantId, resources: Resources
) -> AsyncGenerator[bytes]:
    """Yield the parts of the attachment. Each part is read in a separate transaction, so that a
    slow download does not occupy a connection. Raises AttachmentNotFound if the attachment does not
    exist or is erased during the download."""
    sent = seq = 0
    while sent < found.size:
        async with resources.database.reading(tenant) as connection:
            piece = await AttachmentRepository(connection, tenant).chunk(found.id, seq)
        if piece is None:
            raise AttachmentNotFound(found.id)
        sent += len(piece)
        seq += 1
        yield piece
