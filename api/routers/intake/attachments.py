"""GET /api/dashboard/attachments/{attachment_id}: the content of a customer's attachment."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends
from starlette.responses import Response

from api.access import InClientOf, MemberAt
from api.attachment_response import ATTACHMENT, attachment_response
from api.resources import ResourcesDep
from api.route import DescribedRoute, PathId, StrictQuery
from api.schemas.intake.attachment import AttachmentQuery
from domain.intake.errors import AttachmentNotFound
from domain.tenants.actor import ANYONE
from store.intake.attachments import AttachmentRepository, client_of_attachment

router = APIRouter(route_class=DescribedRoute)

_ID: Final = PathId("attachment_id", "attachment", AttachmentNotFound)
Reader = Annotated[MemberAt, Depends(InClientOf(ANYONE, _ID, client_of_attachment))]


@router.get(
    "/api/dashboard/attachments/{attachment_id}",
    operation_id="attachments.download",
    summary="Download a customer's attachment",
    response_class=Response,
    responses={200: ATTACHMENT},
)
async def attachment(
    reader: Reader,
    query: Annotated[AttachmentQuery, Depends(StrictQuery(AttachmentQuery))],
    resources: ResourcesDep,
) -> Response:
    """Any member of the client may call this operation with a session token. A rejected attachment
    returns 404 because its content is not stored."""
    async with resources.database.reading(reader.tenant) as connection:
        found = await AttachmentRepository(connection, reader.tenant).read(reader.record_id)
    return attachment_response(found, reader.tenant, resources, is_inline=query.inline)
