"""/app/attachments/{id}: an attachment sent by a customer."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends
from starlette.responses import Response

from api.access import MemberAt
from api.dashboard.page import OnPage, Page
from api.route import PathId
from api.routers.intake.attachments import attachment
from api.schemas.intake.attachment import AttachmentQuery
from domain.intake.errors import AttachmentNotFound
from domain.tenants.actor import ANYONE
from store.intake.attachments import client_of_attachment

_ID: Final = PathId("attachment_id", "attachment", AttachmentNotFound)

router = APIRouter(include_in_schema=False)


@router.get("/app/attachments/{attachment_id}")
async def file_of_customer(
    page: Annotated[Page, Depends(OnPage(ANYONE, _ID, client_of_attachment))],
) -> Response:
    """Return the attachment as the API route does, but authenticate the user with a browser
    session."""
    reader = MemberAt(page.tenant, page.actor, page.record_id)
    answer = await attachment(reader, page.query(AttachmentQuery), page.resources)
    answer.headers["cache-control"] = "private, no-store"
    return answer
