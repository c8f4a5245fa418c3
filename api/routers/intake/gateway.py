"""POST /api/engine/gateway: one event in, one answer out."""

import asyncio
import hashlib
import time
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Final

import structlog
from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from api.access import GatewayCallerDep
from api.auth import Caller, authorize, dry_run_key, still_authenticated
from api.http.json_body import json_response, parse_object, read_body
from api.openapi import with_extra_fields
from api.resources import Resources, ResourcesDep
from api.route import DescribedRoute, Part
from api.schemas.intake.gateway import (
    MAX_HTML,
    GatewayRequest,
    GatewayResult,
    NoPlaybook,
    parse_request,
)
from domain.core.errors import EngineUnavailable
from domain.core.ids import TenantId
from domain.intake.errors import InvalidIdempotencyKey, RunInProgress
from domain.intake.essentials import essential
from domain.intake.rate_limit import LimitScope
from domain.runs.contracts import DryRunInput, ProcessEventInput
from domain.runs.errors import AnswerDelayed, AnswerTimeout
from domain.runs.run import EventOutcome, RunResult, RunStatus
from services.intake.admission import Admitted, Repeated, Unmatched, receive_event
from store.intake.arrivals import Arrival
from store.intake.events import EventRepository
from store.intake.idempotency import IdempotencyKey
from store.playbooks.playbooks import PlaybookRepository
from store.runs.runs import RunRepository
from store.tenants.keys import KeyRepository

DEADLINE_S: Final = 30.0

router = APIRouter(route_class=DescribedRoute)

_VISIBLE_ASCII: Final = "^[!-~]([ -~]*[!-~])?$"


@dataclass(frozen=True, slots=True)
class Begun:
    """When a request came, and when its caller must have an answer on the event loop's clock."""

    at: datetime
    deadline: float


async def _begin(resources: ResourcesDep) -> Begun:
    return Begun(resources.now(), asyncio.get_running_loop().time() + DEADLINE_S)


@dataclass(frozen=True, slots=True)
class SentEvent:
    call: GatewayRequest
    body: bytes


class EventBody(Part):
    """The event. Raises UnsupportedMediaType, BodyTooLarge, BodyTooSlow, ClientIdMissing,
    InvalidBody."""

    errors = (400, 408, 413, 415)

    def __init__(self) -> None:
        schema = with_extra_fields(GatewayRequest.model_json_schema(), {"html_body": MAX_HTML})
        self.body = {"required": True, "content": {"application/json": {"schema": schema}}}

    async def __call__(self, request: Request) -> SentEvent:
        body = await read_body(request)
        return SentEvent(parse_request(parse_object(body)), body)


class RepeatableBy(Part):
    """The Idempotency-Key, with which the same body gets the same answer. Raises
    InvalidIdempotencyKey."""

    # 409 and 422: what became of an earlier event with this key.
    errors = (400, 409, 422)
    parameters = (
        {
            "name": "Idempotency-Key",
            "in": "header",
            "required": False,
            "description": "The same key and body within 24 hours get the same answer.",
            "schema": {"type": "string", "maxLength": 255, "pattern": _VISIBLE_ASCII},
        },
    )

    async def __call__(self, request: Request) -> str | None:
        key = request.headers.get("idempotency-key")
        if key is not None and not (1 <= len(key) <= 255 and key.isascii() and key.isprintable()):
            raise InvalidIdempotencyKey
        return key


@router.post(
    "/api/engine/gateway",
    summary="Push one event, get the agent's answer",
    response_model=GatewayResult | NoPlaybook,
)
async def gateway(
    begun: Annotated[Begun, Depends(_begin)],
    caller: GatewayCallerDep,
    sent: Annotated[SentEvent, Depends(EventBody())],
    key: Annotated[str | None, Depends(RepeatableBy())],
    request: Request,
    resources: ResourcesDep,
) -> Response:
    """Answers within 30 s; a run that takes longer goes on, and its result is kept."""
    call = sent.call
    tenant, actor = await authorize(caller, call.client_id, resources)
    structlog.contextvars.bind_contextvars(client_id=tenant)
    at_work = AtTheGateway(tenant, caller, actor, resources, begun, request.state.request_id)
    if call.is_test:
        answer = await rehearse_event(at_work, call.event())
    else:
        answer = await answer_event(at_work, call.event(), _idempotency(key, sent.body))
    # Not by FastAPI, which would check what is ours once more.
    return json_response(answer.model_dump(mode="json", exclude_none=True))


def _idempotency(key: str | None, body: bytes) -> IdempotencyKey | None:
    return None if key is None else IdempotencyKey(key, hashlib.sha256(body).digest())


async def _answer(
    tenant: TenantId,
    admitted: Admitted | Unmatched | Repeated,
    resources: Resources,
    deadline: float,
) -> RunResult | NoPlaybook:
    """The answer of an event that is stored. Raises AnswerTimeout, AnswerDelayed, RunInProgress."""
    match admitted:
        case Unmatched(event_type=event_type):
            return NoPlaybook.for_type(event_type)
        case Repeated(event_id=event_id):
            return await _stored_answer(tenant, event_id, resources)
        case Admitted(ref=ref, playbook=playbook):
            run = ProcessEventInput(
                ref=ref,
                threshold=playbook.threshold,
                remote_brain=resources.settings.brain.is_remote,
                review_expiry_s=resources.settings.reviews.expiry_s,
            )
            try:
                async with asyncio.timeout_at(deadline):
                    await resources.engine.answer(run)
                    return await _stored_answer(tenant, ref.event_id, resources)
            except TimeoutError:
                raise AnswerTimeout(ref.event_id) from None
            except EngineUnavailable as error:
                raise AnswerDelayed(ref.event_id) from error


async def _stored_answer(
    tenant: TenantId, event_id: str, resources: Resources
) -> RunResult | NoPlaybook:
    """What an event's caller is told, now and later. Raises RunInProgress while there is none."""
    async with resources.database.reading(tenant) as connection:
        result = await RunRepository(connection, tenant).answer(event_id)
        if result is not None:
            return result
        outcome = await EventRepository(connection, tenant).outcome(event_id)
    if outcome is not None and outcome[0] == EventOutcome.NO_PLAYBOOK:
        return NoPlaybook.for_type(outcome[1])
    raise RunInProgress


async def _rehearse(
    tenant: TenantId, call: GatewayRequest, caller: Caller, resources: Resources, deadline: float
) -> RunResult | NoPlaybook:
    """A dry run: the brain alone. Its event_id names it in Temporal; no row has it."""
    started, event = time.monotonic(), call.event()
    key = dry_run_key(caller, tenant)
    await resources.limiter.check(LimitScope.DRY_RUN, key, resources.now())
    async with resources.database.reading(tenant) as connection:
        await still_authenticated(caller, KeyRepository(connection))
        playbook = await PlaybookRepository(connection, tenant).wanting(event.event_type)
    if playbook is None:
        return NoPlaybook.for_type(event.event_type)
    rehearsal = DryRunInput(
        client_id=tenant,
        event_id=resources.new_id(),
        threshold=playbook.threshold,
        playbook_id=playbook.id,
        playbook_version=playbook.version,
        remote_brain=resources.settings.brain.is_remote,
        sealed=resources.sealer.seal(essential(event).model_dump_json()),
        draft_alone=True,
    )
    try:
        async with asyncio.timeout_at(deadline):
            rehearsed = await resources.engine.dry_run(rehearsal)
    except TimeoutError:
        raise EngineUnavailable("no worker took the dry run") from None
    draft = resources.sealer.unseal(rehearsed.sealed_draft)
    return RunResult(
        event_id=rehearsal.event_id,
        run_id=resources.new_id(),
        status=rehearsed.status,
        classification=rehearsed.classification,
        confidence=rehearsed.confidence,
        response=draft if rehearsed.status is RunStatus.COMPLETED else "",
        draft=draft,
        steps_executed=0,
        duration_ms=round((time.monotonic() - started) * 1000),
    )
