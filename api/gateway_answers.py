"""Code that admits an event, waits for its outcome and builds the response, for both REST and
MCP."""

import asyncio
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Final

import structlog
from fastapi import Depends

from api.auth import Caller, still_authenticated
from api.resources import Resources, ResourcesDep
from api.schemas.intake.gateway import NoPlaybook
from domain.core.errors import EngineUnavailable
from domain.core.ids import TenantId
from domain.core.ports import Sealer
from domain.intake.errors import RunInProgress
from domain.intake.essentials import essential
from domain.intake.event import InboundEvent
from domain.intake.event_size import is_large
from domain.intake.proved_address import unvouched
from domain.intake.rate_limit import LARGE_DRY_RUN, LimitScope
from domain.runs.contracts import DryRunInput, ProcessEventInput
from domain.runs.errors import AnswerDelayed, AnswerTimeout
from domain.runs.run import EventOutcome, RunResult, RunStatus
from domain.tenants.actor import Actor
from domain.widget.visit import WidgetVisit
from services.intake.admission import Admitted, Repeated, Unmatched, receive_event
from store.exports.payer import has_plan
from store.intake.arrivals import Arrival
from store.intake.events import EventRepository
from store.intake.idempotency import IdempotencyKey
from store.playbooks.playbooks import PlaybookRepository
from store.runs.runs import RunRepository
from store.tenants.keys import KeyRepository

DEADLINE_S: Final = 30.0


@dataclass(frozen=True, slots=True)
class CallStart:
    """The arrival time of a request, and its response deadline on the event loop's clock."""

    at: datetime
    deadline: float

    @classmethod
    def now(cls, resources: Resources) -> "CallStart":
        return cls(resources.now(), asyncio.get_running_loop().time() + DEADLINE_S)

    def took_ms(self) -> int:
        """Return the milliseconds since the request arrived."""
        left_s = self.deadline - asyncio.get_running_loop().time()
        return round((DEADLINE_S - left_s) * 1000)


async def _begin(resources: ResourcesDep) -> CallStart:
    return CallStart.now(resources)


CallStartDep = Annotated[CallStart, Depends(_begin)]


@dataclass(frozen=True, slots=True)
class EventCaller:
    """The authenticated sender of an event. If `vouches` is true, the sender may claim that the
    customer's address is verified."""

    tenant: TenantId
    actor: Actor
    start: CallStart
    request_id: str
    vouches: bool

    def sent(self, event: InboundEvent) -> InboundEvent:
        """Return the event without claims that the caller is not authorized to make."""
        if self.vouches:
            return event
        return event.model_copy(
            update={"payload": unvouched(event.payload), "merchant_request": None}
        )


async def answer_event(
    by: EventCaller,
    event: InboundEvent,
    idempotency: IdempotencyKey | None,
    resources: Resources,
    *,
    visit: WidgetVisit | None = None,
) -> RunResult | NoPlaybook:
    """Admit an event, wait for its outcome, and return the caller's result. `visit` is the widget
    visitor's session. Raises the errors of `receive_event`, AnswerTimeout, AnswerDelayed,
    RunInProgress."""
    arrival = Arrival(
        event=by.sent(event),
        event_id=resources.new_id(),
        run_id=resources.new_id(),
        message_id=resources.new_id(),
        received_at=by.start.at,
        idempotency=idempotency,
        request_id=by.request_id,
        visit=visit,
    )
    with resources.gateway_traffic.event():
        admitted = await receive_event(
            resources.work,
            resources.entry_limiter,
            by.actor,
            arrival,
            tenant=by.tenant,
            now=resources.now,
        )
        structlog.contextvars.bind_contextvars(event_id=admitted.event_id)
        answer = await _answer(by.tenant, admitted, resources, by.start.deadline)
    resources.metrics.gateway_answered(answer.status)
    return answer


async def _answer(
    tenant: TenantId,
    admitted: Admitted | Unmatched | Repeated,
    resources: Resources,
    deadline: float,
) -> RunResult | NoPlaybook:
    """Return the result of an event that is already stored. Raises AnswerTimeout, AnswerDelayed,
    RunInProgress."""
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
    """Return the stored result of an event, for its first or a repeated request. Raises
    RunInProgress if there is no result yet."""
    async with resources.database.reading(tenant, keeps_plans=True) as connection:
        result = await RunRepository(connection, tenant).answer(event_id)
        if result is not None:
            return result
        outcome = await EventRepository(connection, tenant).outcome(event_id)
    if outcome is not None and outcome[0] == EventOutcome.NO_PLAYBOOK:
        return NoPlaybook.for_type(outcome[1])
    raise RunInProgress


async def dry_run_event(
    by: EventCaller, caller: Caller, event: InboundEvent, resources: Resources
) -> RunResult | NoPlaybook:
    """Run the brain without side effects (dry run), and return the result. No row is stored. A
    client has one dry run at a time in a process. Clients without a plan share two.

    Raises TooManyRequests, CallerBusy, Unauthenticated, ClientNotFound, EngineUnavailable.
    """
    await resources.limiter.check(LimitScope.DRY_RUN, by.tenant, resources.now())
    pays = await has_plan(resources.database, by.tenant, resources.now())
    async with (
        resources.dry_runs.turn(by.tenant),
        resources.dry_run_slots.slot(by.tenant, pays=pays),
    ):
        with resources.gateway_traffic.event():
            answer = await _answer_dry_run(by, caller, event, resources)
    resources.metrics.gateway_answered("dry_run")
    return answer


async def _answer_dry_run(
    by: EventCaller, caller: Caller, event: InboundEvent, resources: Resources
) -> RunResult | NoPlaybook:
    tenant = by.tenant
    async with resources.database.reading(tenant) as connection:
        await still_authenticated(caller, KeyRepository(connection))
        playbook = await PlaybookRepository(connection, tenant).wanting(event.event_type)
    if playbook is None:
        return NoPlaybook.for_type(event.event_type)
    sealed = await _sealed(by.sent(event), resources.sealer)
    if len(sealed) > LARGE_DRY_RUN:
        await resources.limiter.check(LimitScope.LARGE_DRY_RUN, tenant, resources.now())
    dry_run = DryRunInput(
        client_id=tenant,
        event_id=resources.new_id(),
        threshold=playbook.threshold,
        playbook_id=playbook.id,
        playbook_version=playbook.version,
        remote_brain=resources.settings.brain.is_remote,
        sealed=sealed,
        draft_alone=True,
    )
    try:
        async with asyncio.timeout_at(by.start.deadline):
            result = await resources.engine.dry_run(dry_run)
    except TimeoutError:
        raise EngineUnavailable("the dry run did not finish in time") from None
    draft = resources.sealer.unseal(result.sealed_draft)
    return RunResult(
        event_id=dry_run.event_id,
        run_id=resources.new_id(),
        status=result.status,
        classification=result.classification,
        confidence=result.confidence,
        response=draft if result.status is RunStatus.COMPLETED else "",
        draft=draft,
        steps_executed=0,
        duration_ms=by.start.took_ms(),
    )


async def _sealed(event: InboundEvent, sealer: Sealer) -> str:
    """Return the event of a dry run, reduced and encrypted. Large events are processed in a
    thread."""

    def seal() -> str:
        return sealer.seal(essential(event).model_dump_json())

    return await asyncio.to_thread(seal) if is_large(event) else seal()
