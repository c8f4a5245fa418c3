"""GET /api/widget/attachments/{attachment_id}: a file that a visitor has received."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from api.attachment_response import ATTACHMENT, attachment_response
from api.resources import ResourcesDep
from api.route import DescribedRoute, Part, PathId
from api.widget_access import WidgetPageDep
from domain.intake.errors import AttachmentNotFound
from domain.widget.errors import SessionUnknown
from domain.widget.widget_session import held_session
from store.intake.attachments import AttachmentRepository
from store.widget.session_messages import SessionMessageRepository
from store.widget.session_states import SessionStateRepository

router = APIRouter(route_class=DescribedRoute)

_ID: Final = PathId("attachment_id", "attachment", AttachmentNotFound)


class _SessionToken(Part):
    """A dependency that returns the session token from the request's header."""

    parameters = (
        {
            "name": "X-Widget-Session",
            "in": "header",
            "required": True,
            "description": "`session_id` from the chat or the configuration.",
            "schema": {"type": "string"},
        },
    )
    errors = (404,)

    async def __call__(self, request: Request) -> str:
        return request.headers.get("x-widget-session", "")


@router.get(
    "/api/widget/attachments/{attachment_id}",
    operation_id="widget.attachment",
    summary="Download a file from a session's messages",
    response_class=Response,
    responses={200: ATTACHMENT},
)
async def attachment(
    page: WidgetPageDep,
    file_id: Annotated[str, Depends(_ID)],
    token: Annotated[str, Depends(_SessionToken())],
    resources: ResourcesDep,
) -> Response:
    """Returns a file from a message that the shop's team has sent in this session."""
    session = held_session(resources.sealer, page.tenant, token)
    if session is None:
        raise SessionUnknown
    async with resources.database.reading(page.tenant) as connection:
        standing = await SessionStateRepository(connection, page.tenant).standing(
            session.id, resources.now()
        )
        if standing is None or not session.opens(standing.verified_email):
            raise SessionUnknown
        messages = SessionMessageRepository(connection, page.tenant)
        if not await messages.has_file(session.id, file_id):
            raise AttachmentNotFound(file_id)
        found = await AttachmentRepository(connection, page.tenant).read(file_id)
    return attachment_response(found, page.tenant, resources)
