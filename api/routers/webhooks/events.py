"""GET /api/webhook-events: what webhooks are told, for whoever builds a receiver."""

from typing import Any, Final

from fastapi import APIRouter, Request
from pydantic import BaseModel
from starlette.responses import Response

from api.http.json_body import json_response
from api.schemas.core.error import ErrorBody
from api.schemas.webhooks.outbound_event import WebhookEvent, WebhookEventLink, WebhookEventList
from domain.webhooks.catalogue import entries, entry
from domain.webhooks.webhook import EVENT_IDS

router = APIRouter()

_PATH: Final = "/api/webhook-events"
# The same for everybody, and the same until the next version runs.
_CACHE: Final = "public, max-age=300"
_EVENT: Final = {
    "name": "event",
    "in": "path",
    "required": True,
    "description": "Id of the event.",
    "schema": {"type": "string", "enum": list(EVENT_IDS)},
}


def _answers(model: type[BaseModel], *errors: int) -> dict[int | str, dict[str, Any]]:
    cached = {"Cache-Control": {"schema": {"const": _CACHE}}}
    return {
        200: {"model": model, "headers": cached},
        **{status: {"model": ErrorBody} for status in (405, 500, *errors)},
    }


@router.get(
    _PATH, summary="The events that webhooks are told", responses=_answers(WebhookEventList)
)
async def list_events() -> Response:
    """For everybody, without credentials."""
    links = [
        WebhookEventLink(event=one.event, description=one.description, url=f"{_PATH}/{one.event}")
        for one in entries()
    ]
    return _cached(WebhookEventList(events=links))


@router.get(
    f"{_PATH}/{{event}}",
    summary="The body of an event: its JSON Schema and an example",
    responses=_answers(WebhookEvent, 404),
    openapi_extra={"parameters": [_EVENT]},
)
async def show_event(request: Request) -> Response:
    """For everybody, without credentials."""
    return _cached(WebhookEvent.of(entry(request.path_params["event"])))


def _cached(answer: BaseModel) -> Response:
    response = json_response(answer.model_dump(mode="json"))
    response.headers["Cache-Control"] = _CACHE
    return response
