"""/api/dashboard/conversations/{conversation_id}/attachments: files for a member's next reply."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from api.access import InClientOf, MemberAt
from api.http.json_body import received
from api.http.query import parse_query
from api.openapi import query_parameters
from api.reply_uploads import inspected_upload
from api.resources import ResourcesDep
from api.route import BodyPart, DescribedRoute, PathId, errors
from api.schemas.intake.attachment import UploadQuery
from domain.core.attached_file import AttachedFile
from domain.intake.attachment import MAX_REPLY_BYTES, Attachment
from domain.intake.attachment_type import MediaType
from domain.intake.errors import AttachmentNotFound
from domain.runs.errors import ConversationNotFound
from domain.tenants.actor import REVIEWERS
from services.reviews.reply_files import delete_file, upload_file
from store.runs.conversation_lists import client_of_conversation

router = APIRouter(route_class=DescribedRoute)

_FILES: Final = "/api/dashboard/conversations/{conversation_id}/attachments"
_ID: Final = PathId("conversation_id", "conversation", ConversationNotFound)
_FILE_ID: Final = PathId("attachment_id", "attachment", AttachmentNotFound)
_FILE_S: Final = 30.0
Writer = Annotated[MemberAt, Depends(InClientOf(REVIEWERS, _ID, client_of_conversation))]


class _SentFile(BodyPart[AttachedFile]):
    """A dependency that returns the file in the request's body. Raises InvalidQuery, BodyTooLarge,
    CallerBusy, BodyTooSlow, InvalidBody."""

    errors = (400, 408, 413)
    parameters = query_parameters(UploadQuery)
    body = {  # noqa: RUF012 - as in `Part`
        "required": True,
        "content": {
            one.value: {"schema": {"type": "string", "format": "binary"}} for one in MediaType
        },
    }

    async def parse(self, request: Request) -> AttachedFile:
        query = parse_query(UploadQuery, request.query_params)
        data = await received(request, at_most=MAX_REPLY_BYTES, seconds=_FILE_S)
        return AttachedFile(query.name, request.headers.get("content-type", ""), data)


@router.post(
    _FILES,
    operation_id="conversations.upload_attachment",
    summary="Upload a file for a reply",
    responses=errors(422),
)
async def upload(
    writer: Writer,
    file: Annotated[AttachedFile, Depends(_SentFile())],
    resources: ResourcesDep,
) -> Attachment:
    """Stores an image or a PDF for the member's next reply in the conversation. The body is the
    file. A reply can have at most 5 files, with at most 5 MiB in total. The member lists the files'
    ids in `attachments` of the reply."""
    found = await inspected_upload(resources, writer.tenant, writer.actor, writer.record_id, file)
    async with resources.work.of(writer.tenant) as work:
        return await upload_file(work, writer.actor, writer.record_id, found)


@router.delete(
    f"{_FILES}/{{attachment_id}}",
    operation_id="conversations.delete_attachment",
    summary="Delete an uploaded file before it is sent",
    status_code=204,
)
async def delete(
    writer: Writer, file_id: Annotated[str, Depends(_FILE_ID)], resources: ResourcesDep
) -> Response:
    """Deletes a file that is not in a reply. A member may also delete a teammate's file."""
    async with resources.work.of(writer.tenant) as work:
        await delete_file(work, writer.actor, writer.record_id, file_id)
    return Response(status_code=204)
