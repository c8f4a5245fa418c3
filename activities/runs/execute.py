"""Execute: carry the plan out, each step once."""

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID, uuid5

from temporalio import activity

from activities.runs.actions import Actions, Step
from activities.runtime.heartbeat import beating
from activities.runtime.insisting import insisting
from domain.agent.plan import IN_PLACE, ON_ORDERS, REPLIES, PlannedAction, StepOutcome, StepState
from domain.agent.policy import recheck
from domain.agent.verdict import PolicyReason, Verdict
from domain.core import names
from domain.core.ids import TenantId
from domain.core.ports import Clock, NewId
from domain.intake.customer_email import customer_key
from domain.integrations.errors import (
    ActionRefused,
    ActionUnknown,
    ActionUnreachable,
    NotAuthorized,
)
from domain.integrations.integration import Integration, Provider
from domain.integrations.order import Order
from domain.runs.contracts import ExecuteInput, ExecuteResult
from store.core.database import Database
from store.integrations.integrations import IntegrationRepository
from store.runs.action_ledger import ActionLedger, Effect, LedgerClaim, LedgerPlace
from store.runs.cases import Case, CaseRepository
from store.runs.runs import RunRepository

_NOTE_PAUSES_S: Final = (0.1, 0.3, 1.0)
# After so many a step that cannot be reached is left to a human, if others were done already or
# it may have been.
_TRIES: Final = 4
# Nothing there keeps a first request that is still at work from ending after it was looked for.
_SLOW_TO_SHOW: Final = frozenset({Provider.GORGIAS})
_KEYS: Final = UUID("5f0f7f5c-3c0c-4a3f-9c0e-6f6f0a6f8a51")


@dataclass(frozen=True, slots=True)
class _Job:
    """What a run's steps have in common."""

    tenant: TenantId
    run_id: str
    round: int
    case: Case
    integrations: dict[str, Integration]

    def place(self, step: int) -> LedgerPlace:
        return LedgerPlace(self.run_id, step, self.round)


class Execute:
    """The ledger around each action."""

    def __init__(self, database: Database, actions: Actions, now: Clock, new_id: NewId) -> None:
        self._database = database
        self._actions = actions
        self._now = now
        self._new_id = new_id

    @activity.defn(name=names.EXECUTE)
    async def execute(self, order: ExecuteInput) -> ExecuteResult:
        """Run the plan's steps in order; stop at the first that was not done.

        Idempotency key: (run_id, step, round) in the action ledger, written before each effect,
        and for the other side a key of (run_id, step) and a human's words. Raises
        ActionUnreachable, for Temporal to retry, when an effect surely did not happen.
        """
        started = time.monotonic()
        async with beating():
            steps = await self._run_steps(order)
        return ExecuteResult(steps=steps, elapsed_ms=(time.monotonic() - started) * 1000)

    async def _run_steps(self, order: ExecuteInput) -> tuple[StepOutcome, ...]:
        job, plan = await self._load(order)
        steps: list[StepOutcome] = []
        for index, action in enumerate(plan):
            try:
                steps.append(await self._run_step(job, action, index))
            except ActionUnreachable as error:
                if activity.info().attempt < _TRIES:
                    raise
                last = await self._not_done(job, action, index, error.code)
                if not steps and last.state is StepState.FAILED:
                    raise
                steps.append(last)
            if steps[-1].state is not StepState.DONE:
                break
        return tuple(steps)

    async def _load(self, order: ExecuteInput) -> tuple[_Job, tuple[PlannedAction, ...]]:
        tenant = TenantId(order.ref.client_id)
        async with self._database.tenant(tenant) as connection:
            case = await CaseRepository(connection, tenant).read(order.ref.run_id)
            if case.draft is None:
                raise LookupError("execute came before the brain")
            plan = case.draft.plan
            connected: tuple[Integration, ...] = ()
            if any(action.integration_id for action in plan):
                connected = await IntegrationRepository(connection, tenant).connected()
            job = _Job(tenant, order.ref.run_id, order.round, case, {it.id: it for it in connected})
            if all(action.kind in IN_PLACE for action in plan):  # then this is all there is to do
                for index, action in enumerate(plan):
                    await self._record(ActionLedger(connection, tenant), job, action, index)
        return job, plan

    async def _run_step(self, job: _Job, action: PlannedAction, index: int) -> StepOutcome:
        if action.kind in IN_PLACE:
            async with self._database.tenant(job.tenant) as connection:
                await self._record(ActionLedger(connection, job.tenant), job, action, index)
            return StepOutcome(kind=action.kind, state=StepState.DONE)
        async with self._database.tenant(job.tenant) as connection:
            before = await ActionLedger(connection, job.tenant).settled(job.place(index))
        if before is not None:
            return StepOutcome(kind=action.kind, state=before.state, detail=before.detail)
        integration = job.integrations.get(action.integration_id or "")
        if action.integration_id and integration is None:
            return await self._not_done(job, action, index, "not_connected")
        try:
            return await self._act(job, action, index, integration)
        except NotAuthorized as error:
            if integration is not None:
                await self._disconnect(job, integration, error)
            return await self._not_done(job, action, index, error.code)
        except ActionRefused as error:
            return await self._not_done(job, action, index, error.code)

    async def _not_done(
        self, job: _Job, action: PlannedAction, index: int, code: str
    ) -> StepOutcome:
        """A step that could not be done now. One that was begun before may have been done then."""
        async with self._database.tenant(job.tenant) as connection:
            ledger = ActionLedger(connection, job.tenant)
            settled = await ledger.settled(job.place(index))
            if settled is not None:
                return StepOutcome(kind=action.kind, state=settled.state, detail=settled.detail)
            if not await ledger.was_begun(job.place(index)):
                return StepOutcome(kind=action.kind, state=StepState.FAILED, detail=code)
            outcome = StepOutcome(kind=action.kind, state=StepState.UNKNOWN, detail=code)
            await ledger.finish(job.place(index), outcome, reference="", now=self._now())
        return outcome

    async def _act(
        self, job: _Job, action: PlannedAction, index: int, integration: Integration | None
    ) -> StepOutcome:
        """Claim the step and do it. Raises ActionRefused, ActionUnreachable."""
        order: Order | None = None
        if action.kind in ON_ORDERS and integration is not None:
            order = await self._actions.order_of(action, integration, job.case)
        entry_id = self._new_id()
        begun = await self._begin(job, action, index, integration, order, entry_id=entry_id)
        if isinstance(begun, StepOutcome):
            return begun
        key = _key(job, action, index)
        step = Step(action, job.case, integration, order, key, begun.again, begun.interrupted)
        outcome, reference = StepOutcome(kind=action.kind, state=StepState.DONE), ""
        try:
            reference = await self._perform(step)
        except ActionUnreachable:
            if not begun.interrupted:  # else it may have been done when it was begun first
                await self._note(
                    job.tenant, lambda ledger: ledger.release(job.place(index), entry_id)
                )
            raise
        except ActionRefused as error:
            outcome = StepOutcome(kind=action.kind, state=StepState.FAILED, detail=error.code)
            await self._finish(job, index, outcome, reference)
            raise
        except ActionUnknown as error:
            outcome = StepOutcome(kind=action.kind, state=StepState.UNKNOWN, detail=error.code)
        await self._finish(job, index, outcome, reference)
        return outcome

    async def _perform(self, step: Step) -> str:
        """Do it; where nobody knows what came of it, ask the other side once before a human."""
        try:
            return await self._actions.perform(step)
        except ActionUnknown:
            if step.again or step.integration is None or step.integration.provider in _SLOW_TO_SHOW:
                raise
        try:
            return await self._actions.perform(replace(step, again=True))
        except ActionUnreachable as error:
            raise ActionUnknown from error  # the first try may still have been done

    async def _begin(
        self,
        job: _Job,
        action: PlannedAction,
        index: int,
        integration: Integration | None,
        order: Order | None,
        *,
        entry_id: str,
    ) -> StepOutcome | LedgerClaim:
        """The claim on a step, or what forbids it now.

        What is limited is counted behind a lock, so that of two at once one sees the other.
        """
        async with self._database.tenant(job.tenant) as connection:
            ledger = ActionLedger(connection, job.tenant)
            effect = _effect(job.case, action, integration, order)
            blocked: PolicyReason | None = None
            if action.kind in ON_ORDERS:
                await ledger.lock_money()
                if not await ledger.was_begun(job.place(index)):
                    blocked = await self._blocked(ledger, job, effect, action, order)
                elif order is None or order.id != action.order_id:
                    raise ActionRefused("begun before, and its order is not found any more")
            if blocked is None:
                return await ledger.begin(
                    job.place(index), effect, entry_id=entry_id, now=self._now()
                )
            await RunRepository(connection, job.tenant).add_verdict(
                job.run_id, Verdict.blocked(action.kind, blocked)
            )
        return StepOutcome(kind=action.kind, state=StepState.BLOCKED, detail=blocked)

    async def _blocked(
        self,
        ledger: ActionLedger,
        job: _Job,
        effect: Effect,
        action: PlannedAction,
        order: Order | None,
    ) -> PolicyReason | None:
        if order is None or order.id != action.order_id:
            return PolicyReason.NOT_THEIRS
        rulebook = job.case.rulebook
        spent = await ledger.spent(
            order_key=order.key,
            customer=effect.customer_key,
            currency=order.refundable.currency,
            not_by=job.run_id,
            now=self._now(),
        )
        return recheck(
            action,
            rulebook,
            order,
            spent,
            customer_email=job.case.event.customer_email,
            approvals=job.case.approvals,
            now=self._now(),
        )

    async def _record(
        self, ledger: ActionLedger, job: _Job, action: PlannedAction, index: int
    ) -> None:
        await ledger.record(
            job.place(index), Effect(action.kind), entry_id=self._new_id(), now=self._now()
        )

    async def _finish(self, job: _Job, index: int, outcome: StepOutcome, reference: str) -> None:
        await self._note(
            job.tenant,
            lambda ledger: ledger.finish(
                job.place(index), outcome, reference=reference, now=self._now()
            ),
        )

    async def _note(
        self, tenant: TenantId, write: Callable[[ActionLedger], Awaitable[None]]
    ) -> None:
        """Write what is known of an effect, and insist: once forgotten, only a human can tell."""
        async for attempt in insisting(_NOTE_PAUSES_S):
            with attempt:
                async with self._database.tenant(tenant) as connection:
                    await write(ActionLedger(connection, tenant))

    async def _disconnect(self, job: _Job, integration: Integration, error: NotAuthorized) -> None:
        async with self._database.tenant(job.tenant) as connection:
            await IntegrationRepository(connection, job.tenant).fail(
                integration.id, error.code, self._now(), self._new_id, run_id=job.run_id
            )


def _key(job: _Job, action: PlannedAction, index: int) -> str:
    """The effect's name on the other side. Other words of a human are another message, not a
    repetition: what was sent before them must not pass for them."""
    words = job.case.human_text if action.kind in REPLIES else None
    return str(uuid5(_KEYS, "/".join((job.run_id, str(index), *([words] if words else ())))))


def _effect(
    case: Case, action: PlannedAction, integration: Integration | None, order: Order | None
) -> Effect:
    if order is None:
        return Effect(action.kind, integration.id if integration else None)
    return Effect(
        action.kind,
        action.integration_id,
        order.key,
        customer_key(case.event.customer_email),
        action.amount,
    )
