"""POST /api/widget/seen: marks messages as seen. Messages that a visitor has seen are not
emailed."""

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.responses import Response

from api.resources import ResourcesDep
from api.route import DescribedRoute, JsonBody
from api.schemas.core.error import ErrorBody
from api.schemas.widget.session_messages import SeenBody
from api.widget_access import WIDGET_VALUES, WidgetPageDep
from domain.widget.errors import SessionUnknown
from domain.widget.widget_session import held_session
from services.widget.conversation import note_seen

router = APIRouter(route_class=DescribedRoute)


@router.post(
    "/api/widget/seen",
    operation_id="widget.mark_seen",
    summary="Mark a session's messages as seen",
    status_code=HTTPStatus.NO_CONTENT,
    responses={404: {"model": ErrorBody}},
)
async def seen(
    page: WidgetPageDep,
    sent: Annotated[SeenBody, Depends(JsonBody(SeenBody, most_values=WIDGET_VALUES))],
    resources: ResourcesDep,
) -> Response:
    """Marks all messages up to the given number as seen. A number below an earlier number has no
    effect."""
    session = held_session(resources.sealer, page.tenant, sent.session_id)
    if session is None:
        raise SessionUnknown
    async with resources.work.of(page.tenant) as work:
        await note_seen(work, session, sent.number)
    return Response(status_code=HTTPStatus.NO_CONTENT)
