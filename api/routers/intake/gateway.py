"""POST /api/engine/gateway: one event in, one answer out."""

import asyncio
import hashlib
import time
from typing import Final

import structlog
from fastapi import APIRouter, Request
from starlette.responses import Response

from api.admission import admit_arrival
from api.auth import (
    Caller,
    authenticate_gateway,
    authorize,
    limiter_key,
    still_authenticated,
)
from api.http.json_body import json_response, parse_object, read_body
from api.openapi import RETRY_AFTER, UNAUTHENTICATED, with_extra_fields
from api.schemas.core.error import ErrorBody
from api.schemas.intake.gateway import (
    MAX_HTML,
    GatewayRequest,
    GatewayResult,
    NoPlaybook,
    parse_request,
)
from api.services import Services, ServicesDep
from domain.core.errors import EngineUnavailable
from domain.core.ids import TenantId
from domain.intake.errors import InvalidIdempotencyKey, RunInProgress
from domain.intake.rate_limit import LimitScope
from domain.runs.contracts import DryRunInput, ProcessEventInput
from domain.runs.errors import AnswerDelayed, AnswerTimeout
from domain.runs.run import EventOutcome, RunResult
from store.intake.admission import Admitted, Arrival, Repeated, Unmatched, find_playbook
from store.intake.events import EventRepository
from store.intake.idempotency import IdempotencyKey
from store.runs.runs import RunRepository
from store.tenants.keys import ActiveKey, KeyRepository

DEADLINE_S: Final = 30.0

router = APIRouter()

_VISIBLE_ASCII: Final = "^[!-~]([ -~]*[!-~])?$"
_ERRORS: Final = (400, 403, 404, 405, 408, 409, 413, 415, 422, 500)


@router.post(
    "/api/engine/gateway",
    summary="Push one event, get the agent's answer",
    responses={
        200: {"model": GatewayResult | NoPlaybook},
        **{status: {"model": ErrorBody} for status in _ERRORS},
        401: UNAUTHENTICATED,
        # Without the header where the month's quota is exhausted.
        429: {"model": ErrorBody, "headers": RETRY_AFTER},
    },
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {
                    "schema": with_extra_fields(
                        GatewayRequest.model_json_schema(), {"html_body": MAX_HTML}
                    )
                }
            },
        },
        "parameters": [
            {
                "name": "Idempotency-Key",
                "in": "header",
                "required": False,
                "description": "The same key and body within 24 hours get the same answer.",
                "schema": {"type": "string", "maxLength": 255, "pattern": _VISIBLE_ASCII},
            }
        ],
        "security": [{"bearer": []}, {"engineSecret": []}, {"internalSecret": []}],
    },
)
async def gateway(request: Request, services: ServicesDep) -> Response:
    """Answers within 30 s; a run that takes longer goes on, and its result is kept."""
    started, received_at = time.monotonic(), services.now()
    caller = await authenticate_gateway(request.headers, services)
    body = await read_body(request)
    call, key = parse_request(parse_object(body)), _idempotency_key(request, body)
    tenant = await authorize(caller, call.client_id, services)
    structlog.contextvars.bind_contextvars(client_id=tenant)
    deadline = asyncio.get_running_loop().time() + DEADLINE_S - (time.monotonic() - started)
    answer: RunResult | NoPlaybook
    with services.gateway_traffic.event():
        if call.is_test:
            answer = await _rehearse(tenant, call, caller, services, deadline)
        else:
            arrival = Arrival(
                event=call.event(),
                event_id=services.new_id(),
                run_id=services.new_id(),
                message_id=services.new_id(),
                received_at=received_at,
                key_id=caller.id if isinstance(caller, ActiveKey) else None,
                idempotency=key,
                request_id=request.state.request_id,
            )
            admitted = await admit_arrival(tenant, arrival, services)
            structlog.contextvars.bind_contextvars(event_id=admitted.event_id)
            answer = await _answer(tenant, admitted, services, deadline)
    services.metrics.gateway_answered("dry_run" if call.is_test else answer.status)
    return json_response(answer.model_dump(mode="json"))


async def _answer(
    tenant: TenantId,
    admitted: Admitted | Unmatched | Repeated,
    services: Services,
    deadline: float,
) -> RunResult | NoPlaybook:
    """The answer of an event that is stored. Raises AnswerTimeout, AnswerDelayed, RunInProgress."""
    match admitted:
        case Unmatched(event_type=event_type):
            return NoPlaybook.for_type(event_type)
        case Repeated(event_id=event_id):
            return await _stored_answer(tenant, event_id, services)
        case Admitted(ref=ref, playbook=playbook):
            run = ProcessEventInput(
                ref=ref,
                threshold=playbook.threshold,
                remote_brain=services.settings.brain.is_remote,
                review_expiry_s=services.settings.reviews.expiry_s,
            )
            try:
                async with asyncio.timeout_at(deadline):
                    await services.engine.answer(run)
                    return await _stored_answer(tenant, ref.event_id, services)
            except TimeoutError:
                raise AnswerTimeout(ref.event_id) from None
            except EngineUnavailable as error:
                raise AnswerDelayed(ref.event_id) from error


async def _stored_answer(
    tenant: TenantId, event_id: str, services: Services
) -> RunResult | NoPlaybook:
    """What an event's caller is told, now and later. Raises RunInProgress while there is none."""
    async with services.database.tenant(tenant) as connection:
        result = await RunRepository(connection, tenant).answer(event_id)
        if result is not None:
            return result
        outcome = await EventRepository(connection, tenant).outcome(event_id)
    if outcome is not None and outcome[0] == EventOutcome.NO_PLAYBOOK:
        return NoPlaybook.for_type(outcome[1])
    raise RunInProgress


async def _rehearse(
    tenant: TenantId, call: GatewayRequest, caller: Caller, services: Services, deadline: float
) -> RunResult | NoPlaybook:
    """A dry run: the brain alone. Its event_id names it in Temporal; no row has it."""
    started, event = time.monotonic(), call.event()
    await services.limiter.check(LimitScope.DRY_RUN, limiter_key(caller), services.now())
    async with services.database.tenant(tenant) as connection:
        await still_authenticated(caller, KeyRepository(connection))
        playbook = await find_playbook(connection, tenant, event.event_type)
    if playbook is None:
        return NoPlaybook.for_type(event.event_type)
    rehearsal = DryRunInput(
        client_id=tenant,
        event_id=services.new_id(),
        threshold=playbook.threshold,
        playbook_id=playbook.id,
        playbook_version=playbook.version,
        remote_brain=services.settings.brain.is_remote,
        sealed=services.sealer.seal(event.model_dump_json()),
    )
    try:
        async with asyncio.timeout_at(deadline):
            rehearsed = await services.engine.dry_run(rehearsal)
    except TimeoutError:
        raise EngineUnavailable("no worker took the dry run") from None
    return RunResult(
        event_id=rehearsal.event_id,
        run_id=services.new_id(),
        status=rehearsed.status,
        classification=rehearsed.classification,
        confidence=rehearsed.confidence,
        response=services.sealer.unseal(rehearsed.sealed_response),
        steps_executed=0,
        duration_ms=round((time.monotonic() - started) * 1000),
    )


def _idempotency_key(request: Request, body: bytes) -> IdempotencyKey | None:
    key = request.headers.get("idempotency-key")
    if key is None:
        return None
    if not 1 <= len(key) <= 255 or not key.isascii() or not key.isprintable():
        raise InvalidIdempotencyKey
    return IdempotencyKey(key, hashlib.sha256(body).digest())
