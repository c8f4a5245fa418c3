"""OPTIONS on the widget's routes: the CORS preflight request from browsers."""

from http import HTTPStatus

from fastapi import APIRouter
from starlette.responses import Response

from api.http.widget_headers import PREFLIGHT

router = APIRouter()

_ROUTES = (
    "chat",
    "config",
    "messages",
    "seen",
    "rating",
    "email",
    "verify",
    "attachments/{attachment_id}",
)


async def preflight() -> Response:
    """The response is the same for every page because a preflight request contains no widget
    key."""
    return Response(status_code=HTTPStatus.NO_CONTENT, headers=PREFLIGHT)


for _route in _ROUTES:
    router.add_api_route(
        f"/api/widget/{_route}", preflight, methods=["OPTIONS"], include_in_schema=False
    )
