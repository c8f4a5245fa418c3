"""POST /api/engine/gateway: accepts one event, and returns the agent's answer."""

import hashlib
from dataclasses import dataclass
from typing import Annotated

import structlog
from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from api.access import GatewayCallerDep
from api.auth import authorize, may_vouch
from api.gateway_answers import CallStartDep, EventCaller, answer_event, dry_run_event
from api.http.json_body import json_response, parse_object, read_body
from api.idempotency_key import IdempotencyKeyDep
from api.openapi import with_extra_fields
from api.resources import ResourcesDep
from api.route import BodyPart, DescribedRoute
from api.schemas.intake.gateway import (
    MAX_HTML,
    NOT_THE_MERCHANT,
    NOT_VOUCHED,
    GatewayNotice,
    GatewayRequest,
    GatewayResult,
    NoPlaybook,
    parse_request,
)
from domain.intake.proved_address import claims_proof
from domain.runs.run import RunResult
from domain.tenants.actor import REVIEWERS
from store.intake.idempotency import IdempotencyKey

router = APIRouter(route_class=DescribedRoute)


@dataclass(frozen=True, slots=True)
class SentEvent:
    call: GatewayRequest
    body: bytes


class EventBody(BodyPart[SentEvent]):
    """A dependency that returns the event from the body. Raises UnsupportedMediaType, BodyTooLarge,
    BodyTooSlow, ClientIdMissing, InvalidBody."""

    errors = (400, 408, 413, 415)

    def __init__(self) -> None:
        schema = with_extra_fields(GatewayRequest, {"html_body": MAX_HTML})
        self.body = {"required": True, "content": {"application/json": {"schema": schema}}}

    async def parse(self, request: Request) -> SentEvent:
        body = await read_body(request)
        return SentEvent(parse_request(parse_object(body)), body)


@router.post(
    "/api/engine/gateway",
    operation_id="gateway.push",
    summary="Send an event and get the agent's answer",
    response_model=GatewayResult | NoPlaybook,
)
async def gateway(
    start: CallStartDep,
    caller: GatewayCallerDep,
    sent: Annotated[SentEvent, Depends(EventBody())],
    key: IdempotencyKeyDep,
    request: Request,
    resources: ResourcesDep,
) -> Response:
    """The response arrives within 30 s. A run that takes longer continues, and its result is
    stored. A session token needs the owner, admin or agent role."""
    call = sent.call
    tenant, actor = await authorize(caller, call.client_id, resources, session_roles=REVIEWERS)
    structlog.contextvars.bind_contextvars(client_id=tenant)
    vouches = may_vouch(caller)
    by = EventCaller(tenant, actor, start, request.state.request_id, vouches=vouches)
    if call.is_test:
        answer = await dry_run_event(by, caller, call.event(), resources)
    else:
        answer = await answer_event(by, call.event(), _idempotency(key, sent.body), resources)
    body = answer.model_dump(mode="json", exclude_none=True)
    if not vouches and isinstance(answer, RunResult) and (notices := _ignored(call)):
        body["notices"] = [notice.model_dump() for notice in notices]
    # Serialize the response here because FastAPI would validate it again.
    return json_response(body)


def _ignored(call: GatewayRequest) -> list[GatewayNotice]:
    """Return a notice for each field that is ignored because the caller lacks the permission. These
    fields claim that a customer is verified, or contain a merchant request."""
    notices = [NOT_VOUCHED] if claims_proof(call.payload) else []
    return [*notices, NOT_THE_MERCHANT] if call.merchant_request else notices


def _idempotency(key: str | None, body: bytes) -> IdempotencyKey | None:
    return None if key is None else IdempotencyKey(key, hashlib.sha256(body).digest())
