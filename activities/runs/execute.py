"""The activity that executes the steps of a run's plan, each step once."""

import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Final

from temporalio import activity

from activities.runs.actions import Actions, Step
from activities.runs.address_codes import AddressCodes
from activities.runs.claim import Job, claim, is_kept_back, key_of, stays_joined
from activities.runtime.heartbeat import beating
from activities.runtime.insisting import insisting
from domain.agent.plan import IN_PLACE, ON_ORDERS, PlannedAction, StepOutcome, StepState
from domain.agent.policy_decision import PolicyDecision, PolicyReason
from domain.core import names
from domain.core.ids import TenantId
from domain.core.ports import Clock, NewId, Sealer
from domain.integrations.errors import (
    ActionForbidden,
    ActionRefused,
    ActionsBusy,
    ActionUnknown,
    ActionUnreachable,
    MailServersBusy,
    NotAuthorized,
)
from domain.integrations.integration import Integration
from domain.integrations.order import Order
from domain.runs.contracts import ExecuteInput, ExecuteResult
from store.core.database import Database
from store.integrations.integrations import IntegrationRepository
from store.runs.action_ledger import ActionLedger, Effect
from store.runs.cases import Case, CaseRepository
from store.runs.runs import RunRepository
from store.tenants.automation import AutomationStops

_NOTE_PAUSES_S: Final = (0.1, 0.3, 1.0)
# After this many attempts, an unreachable step is handed off to a human agent if this step or an
# earlier one may have taken effect.
_TRIES: Final = 4


class Execute:
    """The activity that executes plans and records each action in the action ledger."""

    def __init__(
        self,
        database: Database,
        actions: Actions,
        now: Clock,
        new_id: NewId,
        *,
        codes: AddressCodes,
        sealer: Sealer,
    ) -> None:
        self._database = database
        self.codes = codes
        self._sealer = sealer
        self._actions = actions
        self._now = now
        self._new_id = new_id

    @activity.defn(name=names.EXECUTE)
    async def execute(self, order: ExecuteInput) -> ExecuteResult:
        """Execute the plan's steps in order, up to the first that was not completed.

        Idempotency key: (run_id, step, round) in the action ledger, written before each effect. The
        external system's key is derived from (run_id, step) and a human's edited text. Raises
        ActionUnreachable, for Temporal to retry, if an effect certainly did not happen.
        """
        started = time.monotonic()
        steps: tuple[StepOutcome, ...] = ()
        async with beating():
            loaded = await self._load(order)
            if not isinstance(loaded, str):
                job, plan = loaded
                steps = await self._kept_from(job, plan)
                if not steps:
                    event_id = order.ref.event_id
                    await self.codes.mail_for(job.tenant, job.run_id, event_id, job.case, plan)
                    steps = await self._run_steps(job, plan)
        return ExecuteResult(
            steps=steps,
            elapsed_ms=(time.monotonic() - started) * 1000,
            joined=loaded if isinstance(loaded, str) else "",
        )

    async def _run_steps(
        self, job: Job, plan: tuple[PlannedAction, ...]
    ) -> tuple[StepOutcome, ...]:
        if job.is_recorded:
            return tuple(StepOutcome(kind=action.kind, state=StepState.DONE) for action in plan)
        steps: list[StepOutcome] = []
        for index, action in enumerate(plan):
            try:
                steps.append(await self._run_step(job, action, index))
            except ActionUnreachable as error:
                # A step that only waits for a slot is retried until it has one.
                is_waiting = isinstance(error, MailServersBusy | ActionsBusy)
                if activity.info().attempt < _TRIES or is_waiting:
                    raise
                last = await self._not_done(job, action, index, error.code)
                if not steps and last.state is StepState.FAILED:
                    raise
                steps.append(last)
            if steps[-1].state is not StepState.DONE:
                break
        return tuple(steps)

    async def _load(self, order: ExecuteInput) -> tuple[Job, tuple[PlannedAction, ...]] | str:
        """Return the plan and the data for its steps. If the message stays in a review, return the
        review's id instead."""
        tenant = TenantId(order.ref.client_id)
        async with self._database.tenant(tenant, keeps_plans=True) as connection:
            case = await CaseRepository(connection, tenant).read(order.ref.run_id)
            if case.draft is None:
                raise LookupError("execute came before the brain")
            plan = case.draft.plan
            connected: tuple[Integration, ...] = ()
            if any(action.integration_id for action in plan):
                connected = await IntegrationRepository(connection, tenant).connected()
            job = Job(tenant, order.ref.run_id, order.round, case, {it.id: it for it in connected})
            joined = await stays_joined(connection, job, order.ref.event_id, self._now())
            if joined is not None:
                return joined
            if _is_taken(case):
                return replace(job, kept_by=PolicyReason.TAKEN_OVER), plan
            if plan and await AutomationStops(connection, tenant).holds(job.run_id):
                return replace(job, kept_by=PolicyReason.AUTOMATION_STOPPED), plan
            if all(action.kind in IN_PLACE for action in plan):  # Such a plan is only recorded.
                for index, action in enumerate(plan):
                    await self._record(ActionLedger(connection, tenant), job, action, index)
                job = replace(job, is_recorded=True)
        return job, plan

    async def _kept_from(
        self, job: Job, plan: tuple[PlannedAction, ...]
    ) -> tuple[StepOutcome, ...]:
        """Return the first step as blocked if the plan is held and has not started, so that humans
        decide on the unchanged plan. Otherwise, return an empty tuple."""
        if not plan or job.kept_by is None:
            return ()
        kind, reason = plan[0].kind, job.kept_by
        async with self._database.tenant(job.tenant, keeps_plans=True) as connection:
            if await ActionLedger(connection, job.tenant).was_started(job.place(0)):
                return ()
            await RunRepository(connection, job.tenant).add_verdict(
                job.run_id, PolicyDecision.blocked(kind, reason)
            )
        return (StepOutcome.blocked(kind, reason),)

    async def _run_step(self, job: Job, action: PlannedAction, index: int) -> StepOutcome:
        if action.kind in IN_PLACE:
            return await self._answer_in_place(job, action, index)
        async with self._database.tenant(job.tenant, keeps_plans=True) as connection:
            before = await ActionLedger(connection, job.tenant).settled(job.place(index))
        if before is not None:
            return StepOutcome(kind=action.kind, state=before.state, detail=before.detail)
        integration = job.integrations.get(action.integration_id or "")
        if action.integration_id and integration is None:
            return await self._not_done(job, action, index, "not_connected")
        try:
            # A step without a slot is not claimed, so its next attempt counts as the first.
            with self._actions.room(job.tenant, integration):
                return await self._act(job, action, index, integration)
        except NotAuthorized as error:
            if integration is not None:
                await self._disconnect(job, integration, error)
            return await self._not_done(job, action, index, error.code)
        except ActionForbidden as error:
            async with self._database.tenant(job.tenant, keeps_plans=True) as connection:
                known = IntegrationRepository(connection, job.tenant)
                await known.note_refusal(action.integration_id or "", error.code)
            raise
        except ActionRefused as error:
            return await self._not_done(job, action, index, error.code)

    async def _answer_in_place(self, job: Job, action: PlannedAction, index: int) -> StepOutcome:
        async with self._database.tenant(job.tenant, keeps_plans=True) as connection:
            if await AutomationStops(connection, job.tenant).holds(job.run_id):
                return StepOutcome.blocked(action.kind, PolicyReason.AUTOMATION_STOPPED)
            ledger = ActionLedger(connection, job.tenant)
            # A member may have answered while the plan's earlier steps ran.
            if await ledger.settled(job.place(index)) is None and await is_kept_back(
                connection, job, action
            ):
                taken_over = PolicyReason.TAKEN_OVER
                runs = RunRepository(connection, job.tenant)
                await runs.add_verdict(job.run_id, PolicyDecision.blocked(action.kind, taken_over))
                return StepOutcome.blocked(action.kind, taken_over)
            await self._record(ledger, job, action, index)
        return StepOutcome(kind=action.kind, state=StepState.DONE)

    async def _not_done(
        self, job: Job, action: PlannedAction, index: int, code: str
    ) -> StepOutcome:
        """Return the outcome of a step that cannot be executed now. The outcome is unknown if the
        step was started earlier."""
        async with self._database.tenant(job.tenant, keeps_plans=True) as connection:
            ledger = ActionLedger(connection, job.tenant)
            settled = await ledger.settled(job.place(index))
            if settled is not None:
                return StepOutcome(kind=action.kind, state=settled.state, detail=settled.detail)
            if not await ledger.was_started(job.place(index)):
                return StepOutcome(
                    kind=action.kind, state=StepState.FAILED, detail=code, begun=False
                )
            outcome = StepOutcome(kind=action.kind, state=StepState.UNKNOWN, detail=code)
            await ledger.finish(job.place(index), outcome, reference="", now=self._now())
        return outcome

    async def _act(
        self, job: Job, action: PlannedAction, index: int, integration: Integration | None
    ) -> StepOutcome:
        """Claim the step, execute it, and return its outcome. Raises ActionRefused,
        ActionUnreachable."""
        order: Order | None = None
        if action.kind in ON_ORDERS and integration is not None:
            order = await self._actions.order_of(action, integration, job.case)
        entry_id = self._new_id()
        begun = await claim(
            self._database,
            job,
            action,
            index,
            integration=integration,
            order=order,
            entry_id=entry_id,
            now=self._now,
            sealer=self._sealer,
        )
        if isinstance(begun, StepOutcome):
            return begun
        key = key_of(job, action, index)
        step = Step(
            job.tenant,
            job.run_id,
            action,
            job.case,
            integration,
            order,
            key,
            again=begun.again,
            interrupted=begun.interrupted,
        )
        outcome, reference = StepOutcome(kind=action.kind, state=StepState.DONE), ""
        try:
            reference = await self._actions.perform_known(step)
        except ActionUnreachable:
            # If an earlier attempt was interrupted, it may already have taken effect.
            if not begun.interrupted:
                await self._release(job, index, entry_id)
            raise
        except ActionRefused as error:
            if not (error.sent or begun.interrupted):
                await self._release(job, index, entry_id)
                raise
            # If an earlier attempt was interrupted, a rejection before any request was sent says
            # nothing about that attempt's outcome.
            state = StepState.FAILED if error.sent else StepState.UNKNOWN
            outcome = StepOutcome(kind=action.kind, state=state, detail=error.code)
            await self._finish(job, index, outcome, reference)
            raise
        except ActionUnknown as error:
            outcome = StepOutcome(kind=action.kind, state=StepState.UNKNOWN, detail=error.code)
        await self._finish(job, index, outcome, reference)
        return outcome

    async def _release(self, job: Job, index: int, entry_id: str) -> None:
        """Release the claim on a step for which no request was sent."""
        await self._note(job.tenant, lambda ledger: ledger.release(job.place(index), entry_id))

    async def _record(
        self, ledger: ActionLedger, job: Job, action: PlannedAction, index: int
    ) -> None:
        await ledger.record(
            job.place(index), Effect(action.kind), entry_id=self._new_id(), now=self._now()
        )

    async def _finish(self, job: Job, index: int, outcome: StepOutcome, reference: str) -> None:
        await self._note(
            job.tenant,
            lambda ledger: ledger.finish(
                job.place(index), outcome, reference=reference, now=self._now()
            ),
        )

    async def _note(
        self, tenant: TenantId, write: Callable[[ActionLedger], Awaitable[None]]
    ) -> None:
        """Record an effect in the action ledger, with retries. Without the record, only a human
        agent could find out about the effect."""
        async for attempt in insisting(_NOTE_PAUSES_S):
            with attempt:
                async with self._database.tenant(tenant) as connection:
                    await write(ActionLedger(connection, tenant))

    async def _disconnect(self, job: Job, integration: Integration, error: NotAuthorized) -> None:
        async with self._database.tenant(job.tenant, keeps_plans=True) as connection:
            known, now = IntegrationRepository(connection, job.tenant), self._now()
            await known.fail(integration.id, error.code, now, self._new_id, run_id=job.run_id)


def _is_taken(case: Case) -> bool:
    """Return True if no human agent has approved the plan, and either human agents handle the
    conversation or a member's reply is scheduled."""
    return case.is_taken and not case.approvals
