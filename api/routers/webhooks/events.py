"""GET /api/webhook-events: the catalogue of webhook events, for developers of webhook endpoints."""

from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from api.route import DescribedRoute, Part
from api.schemas.core.error import ErrorBody
from api.schemas.webhooks.outbound_event import WebhookEvent, WebhookEventLink, WebhookEventList
from domain.webhooks.catalogue import entries, entry
from domain.webhooks.webhook import EVENT_IDS

router = APIRouter(route_class=DescribedRoute)

_PATH: Final = "/api/webhook-events"
# The response can be cached because it is the same for every caller and changes only with a new
# release.
_CACHE: Final = "public, max-age=300"


class _EventName(Part):
    """A dependency that returns the event name from the path. The dependency does not check whether
    the event exists."""

    parameters = (
        {
            "name": "event",
            "in": "path",
            "required": True,
            "description": "Event type.",
            "schema": {"type": "string", "enum": list(EVENT_IDS)},
        },
    )

    async def __call__(self, request: Request) -> str:
        return str(request.path_params["event"])


def _answers(*errors: int) -> dict[int | str, dict[str, Any]]:
    return {
        200: {"headers": {"Cache-Control": {"schema": {"const": _CACHE}}}},
        **{status: {"model": ErrorBody} for status in (405, 500, *errors)},
    }


@router.get(
    _PATH, operation_id="webhook_events.list", summary="List webhook events", responses=_answers()
)
async def list_events(response: Response) -> WebhookEventList:
    """This operation is public and requires no credentials."""
    response.headers["Cache-Control"] = _CACHE
    links = [
        WebhookEventLink(event=one.event, description=one.description, url=f"{_PATH}/{one.event}")
        for one in entries()
    ]
    return WebhookEventList(events=links)


@router.get(
    f"{_PATH}/{{event}}",
    operation_id="webhook_events.get",
    summary="Get an event's JSON Schema and an example body",
    responses=_answers(404),
)
async def show_event(
    name: Annotated[str, Depends(_EventName())], response: Response
) -> WebhookEvent:
    """This operation is public and requires no credentials."""
    response.headers["Cache-Control"] = _CACHE
    return WebhookEvent.of(entry(name))
