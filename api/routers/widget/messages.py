"""GET /api/widget/messages: a widget session's messages, as JSON or as a stream."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated, Final

from fastapi import APIRouter, Depends, Request
from starlette.datastructures import QueryParams
from starlette.responses import Response

from api.http.client_address import client_network, limited_address
from api.http.event_stream import EventStream
from api.http.json_body import json_response
from api.http.query import parse_query
from api.openapi import query_parameters
from api.resources import Resources, ResourcesDep
from api.route import DescribedRoute, Part
from api.schemas.widget.session_messages import MAX_NUMBER, MessagesQuery, SessionMessages
from api.widget_access import WidgetCaller, WidgetPageDep, widget_caller
from api.widget_feed import SessionFeed, SessionReader
from domain.core.errors import DomainError, EngineUnavailable
from domain.widget.errors import SessionUnknown
from domain.widget.widget_session import held_session

router = APIRouter(route_class=DescribedRoute)

_EVENTS: Final = "text/event-stream"
_TEXT: Final = {"schema": {"type": "string"}}


@dataclass(frozen=True, slots=True)
class _Asked:
    """A request for a widget session's messages. `token` is the browser's session token. `after` is
    the number of its last message."""

    token: str
    after: int
    as_events: bool


class _MessagesAfter(Part):
    """A dependency that returns the session token and the last message number from the request.
    Raises InvalidQuery."""

    parameters = (
        *query_parameters(MessagesQuery),
        {
            "name": "X-Widget-Session",
            "in": "header",
            "required": True,
            "description": "`session_id` from the chat or the configuration.",
            **_TEXT,
        },
        {
            "name": "Last-Event-ID",
            "in": "header",
            "required": False,
            "description": "Id of the last event received from the stream.",
            **_TEXT,
        },
    )
    errors = (400, 404)

    async def __call__(self, request: Request) -> _Asked:
        query = [pair for pair in request.query_params.multi_items() if pair[0] != "api_key"]
        after = parse_query(MessagesQuery, QueryParams(query)).after
        return _Asked(
            token=request.headers.get("x-widget-session", ""),
            after=max(after, _number(request.headers.get("last-event-id", ""))),
            as_events=_EVENTS in request.headers.get("accept", "").lower(),
        )


@router.get(
    "/api/widget/messages",
    operation_id="widget.messages",
    summary="Get a session's messages, as JSON or server-sent events",
    response_model=SessionMessages,
    responses={200: {"content": {_EVENTS: _TEXT}}},
)
async def list_messages(
    page: WidgetPageDep,
    asked: Annotated[_Asked, Depends(_MessagesAfter())],
    request: Request,
    resources: ResourcesDep,
) -> Response:
    """Messages are numbered consecutively within the session, starting at 1. The id of a `message`
    event is the message number. `state` events report the work in progress. A stream ends after at
    most 15 minutes, and a new stream resumes after `Last-Event-ID`. For a session without messages,
    the list is empty."""
    session = held_session(resources.sealer, page.tenant, asked.token)
    if session is None:
        raise SessionUnknown
    reader = SessionReader(resources.database, page.tenant, session, resources.now)
    if not asked.as_events:
        found = await reader.read(asked.after)
        shown = SessionMessages(messages=found.messages, state=found.state)
        return json_response(shown.model_dump())
    streams = resources.widget_streams
    feed = SessionFeed(reader, streams, asked.after, _welcome(page, request, resources))
    pays = await resources.payers.get(page.tenant)
    address, network = limited_address(request), client_network(request)
    return EventStream(feed.pieces(f"{page.tenant}/{session.id}", address, network, pays=pays))


def _welcome(
    page: WidgetCaller, request: Request, resources: Resources
) -> Callable[[], Awaitable[bool]]:
    """Return a callback that checks whether the page's widget key and origin are still valid."""

    async def is_welcome() -> bool:
        try:
            return (await widget_caller(request, resources)).tenant == page.tenant
        except EngineUnavailable:
            raise
        except DomainError:
            return False

    return is_welcome


def _number(event_id: str) -> int:
    """Return the message number from a `Last-Event-ID`, or 0 if the id is not a message number."""
    if not (event_id.isascii() and event_id.isdecimal() and len(event_id) <= 10):
        return 0
    return min(int(event_id), MAX_NUMBER)
