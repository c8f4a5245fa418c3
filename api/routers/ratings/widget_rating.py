"""POST /api/widget/rating: stores a visitor's rating of an answer in the widget."""

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.responses import Response

from api.resources import ResourcesDep
from api.route import DescribedRoute, JsonBody
from api.schemas.core.error import ErrorBody
from api.schemas.ratings.widget_rating import WidgetRatingBody
from api.widget_access import WIDGET_VALUES, WidgetPageDep
from domain.ratings.rating import checked_rating
from domain.widget.errors import SessionUnknown
from domain.widget.widget_session import held_session
from services.ratings.ratings import rate_in_widget

router = APIRouter(route_class=DescribedRoute)


@router.post(
    "/api/widget/rating",
    operation_id="widget.rate",
    summary="Rate an answer as a visitor",
    status_code=HTTPStatus.NO_CONTENT,
    responses={404: {"model": ErrorBody}},
)
async def rate(
    page: WidgetPageDep,
    sent: Annotated[
        WidgetRatingBody, Depends(JsonBody(WidgetRatingBody, most_values=WIDGET_VALUES))
    ],
    resources: ResourcesDep,
) -> Response:
    """Rates an answer in the visitor's own session. A later rating of the same answer replaces the
    earlier rating."""
    session = held_session(resources.sealer, page.tenant, sent.session_id)
    if session is None:
        raise SessionUnknown
    given = checked_rating(sent.score, sent.comment)
    async with resources.work.of(page.tenant) as work:
        await rate_in_widget(work, session, sent.number, given)
    return Response(status_code=HTTPStatus.NO_CONTENT)
