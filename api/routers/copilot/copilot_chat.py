"""POST /api/copilot/chat: answers members' questions about their service."""

from dataclasses import replace
from typing import Annotated
from zoneinfo import ZoneInfo

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from api.access import SignedIn, member_for
from api.copilot_events import EVENTS, copilot_events
from api.http.client_address import client_network
from api.http.event_stream import EventStream
from api.http.json_body import json_response
from api.resources import ResourcesDep
from api.route import DescribedRoute, JsonBody
from api.schemas.copilot.copilot_chat import CopilotChatBody
from domain.copilot.answer import CopilotAnswer
from domain.copilot.ports import Say
from domain.copilot.question import AskerContext
from domain.intake.rate_limit import LimitScope
from domain.tenants.user import User
from store.dashboard.preferences import preferences_of

router = APIRouter(route_class=DescribedRoute)


@router.post(
    "/api/copilot/chat",
    operation_id="copilot.chat",
    summary="Ask the copilot about the client's records or the product documentation",
    response_model=CopilotAnswer,
    responses={200: {"content": {EVENTS: {"schema": {"type": "string"}}}}},
)
async def chat(
    user: Annotated[User, Depends(SignedIn(LimitScope.COPILOT))],
    body: Annotated[CopilotChatBody, Depends(JsonBody(CopilotChatBody))],
    request: Request,
    resources: ResourcesDep,
) -> Response:
    """Any member of the client may call this operation. A session token is required, and each user
    can send 30 requests in 60 s. The copilot can read what the member's role may read, and changes
    nothing. Depending on the `Accept` header, the response is JSON or a stream of server-sent
    events: `delta`, `citation`, `draft`, `done`, `error`."""
    member = await member_for(user, body.client_id, resources, client_network(request))
    async with resources.database.reading_across() as connection:
        preferences = await preferences_of(connection, user.id)
    asker = AskerContext(
        "en" if preferences.language == "en" else "fr", ZoneInfo(preferences.time_zone)
    )
    question = replace(body.question, asker=asker)

    async def ask(say: Say) -> CopilotAnswer:
        return await resources.copilot.answer(member.tenant, member.actor, question, say)

    if EVENTS in request.headers.get("accept", "").lower():
        return EventStream(copilot_events(ask, request, request.state.request_id))
    answer = await ask(_nobody)
    return json_response(answer.model_dump())


async def _nobody(_: str) -> None:
    """Discard a text fragment because the response contains the complete answer."""
