"""POST /api/engine/gateway: one event in, one answer out."""

import asyncio
import hashlib
import time
from datetime import datetime
from typing import Final

import structlog
from fastapi import APIRouter, Request
from starlette.responses import Response

from api.auth import authenticate, authorize
from api.json_body import json_response, parse_object, read_body
from api.schemas.gateway import (
    ErrorBody,
    GatewayRequest,
    GatewayResult,
    NoPlaybook,
    parse_request,
)
from api.services import Services, ServicesDep
from domain.contracts import DryRunInput, ProcessEventInput
from domain.errors import AnswerTimeout, InvalidIdempotencyKey, RunInProgress
from domain.ids import TenantId
from domain.run import EventOutcome, RunResult
from store.admission import Admitted, IdempotencyKey, Repeated, Unmatched, admit, find_playbook
from store.event_repository import EventRepository
from store.run_repository import RunRepository

DEADLINE_S: Final = 30.0

router = APIRouter()

_ERRORS: Final = (400, 401, 403, 404, 405, 408, 409, 413, 415, 422, 500)


@router.post(
    "/api/engine/gateway",
    summary="Push one event, get the agent's answer",
    responses={
        200: {"model": GatewayResult | NoPlaybook},
        **{status: {"model": ErrorBody} for status in _ERRORS},
    },
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": GatewayRequest.model_json_schema()}},
        },
        "security": [{"bearer": []}, {"engineSecret": []}, {"internalSecret": []}],
    },
)
async def gateway(request: Request, services: ServicesDep) -> Response:
    """Answers within 30 s; a run that takes longer goes on, and its result is kept."""
    started, received_at = time.monotonic(), services.now()
    caller = await authenticate(request.headers, services)
    body = await read_body(request)
    call = parse_request(parse_object(body))
    tenant = authorize(caller, call.client_id)
    structlog.contextvars.bind_contextvars(client_id=tenant)
    try:
        async with asyncio.timeout(DEADLINE_S - (time.monotonic() - started)):
            if call.is_test:
                answer = await _rehearse(tenant, call, services, started)
            else:
                key = _idempotency_key(request, body)
                answer = await _process(tenant, call, services, received_at, key)
    except TimeoutError:
        raise AnswerTimeout from None
    return json_response(answer.model_dump(mode="json"))


async def _process(
    tenant: TenantId,
    call: GatewayRequest,
    services: Services,
    received_at: datetime,
    key: IdempotencyKey | None,
) -> RunResult | NoPlaybook:
    async with services.database.transaction() as connection:
        admitted = await admit(
            connection,
            tenant,
            call.event(),
            event_id=services.new_id(),
            run_id=services.new_id(),
            message_id=services.new_id(),
            now=received_at,
            idempotency=key,
        )
    match admitted:
        case Unmatched(event_type=event_type):
            return NoPlaybook.for_type(event_type)
        case Repeated(event_id=event_id):
            return await _earlier_answer(tenant, event_id, services)
        case Admitted(ref=ref, playbook=playbook):
            structlog.contextvars.bind_contextvars(event_id=ref.event_id)
            await services.engine.answer(
                ProcessEventInput(
                    ref=ref,
                    threshold=playbook.threshold,
                    review_expiry_s=services.settings.review_expiry_hours * 3600,
                )
            )
            return await _earlier_answer(tenant, ref.event_id, services)


async def _earlier_answer(
    tenant: TenantId, event_id: str, services: Services
) -> RunResult | NoPlaybook:
    """The stored answer of an event. Raises RunInProgress while it has none."""
    async with services.database.transaction() as connection:
        result = await RunRepository(connection, tenant).result(event_id)
        if result is not None:
            return result
        outcome = await EventRepository(connection, tenant).outcome(event_id)
    if outcome is not None and outcome[0] == EventOutcome.NO_PLAYBOOK:
        return NoPlaybook.for_type(outcome[1])
    raise RunInProgress


async def _rehearse(
    tenant: TenantId, call: GatewayRequest, services: Services, started: float
) -> RunResult | NoPlaybook:
    """A dry run: the brain alone. Its event_id names it in Temporal; no row has it."""
    event = call.event()
    async with services.database.transaction() as connection:
        playbook = await find_playbook(connection, tenant, event.event_type)
    if playbook is None:
        return NoPlaybook.for_type(event.event_type)
    event_id = services.new_id()
    rehearsed = await services.engine.dry_run(
        DryRunInput(
            client_id=tenant,
            event_id=event_id,
            threshold=playbook.threshold,
            sealed=services.sealer.seal(event.model_dump_json()),
        )
    )
    return RunResult(
        event_id=event_id,
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
