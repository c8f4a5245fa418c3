"""Execute: carry the plan out, each step once."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Final

from temporalio import activity

from domain import names
from domain.action_errors import MailRefused, MailUnknown, MailUnreachable
from domain.contracts import ExecuteInput, ExecuteResult
from domain.errors import EngineUnavailable
from domain.ids import TenantId
from domain.mail_reply import reply_to
from domain.plan import IN_PLACE, ActionKind, PlannedAction, StepOutcome, StepState
from domain.ports import Clock, Mailer, NewId
from store.action_ledger import ActionLedger
from store.case_repository import Case, CaseRepository
from store.database import Database

_NOTE_PAUSES_S: Final = (0.1, 0.3, 1.0)

Handler = Callable[[Case, str], Awaitable[None]]
"""Does one action for a case and its run_id. Raises MailRefused, MailUnreachable, MailUnknown."""


class Execute:
    """The registry of actions, and the ledger around each."""

    def __init__(self, database: Database, mailer: Mailer, now: Clock, new_id: NewId) -> None:
        self._database = database
        self._mailer = mailer
        self._now = now
        self._new_id = new_id
        self._registry: dict[ActionKind, Handler] = {
            ActionKind.REPLY_BY_EMAIL: self._reply_by_email,
        }

    @activity.defn(name=names.EXECUTE)
    async def execute(self, order: ExecuteInput) -> ExecuteResult:
        """Run the plan's steps in order; stop at the first that was not done.

        Idempotency key: (run_id, step, round) in the action ledger, written before each effect.
        A step found begun and unfinished is reported unknown and never repeated by itself.
        Raises MailUnreachable, for Temporal to retry, when the effect surely did not happen.
        """
        started = time.monotonic()
        case, plan = await self._load(order)
        steps: list[StepOutcome] = []
        for index, action in enumerate(plan):
            steps.append(await self._run_step(order, case, action, index))
            if steps[-1].state is not StepState.DONE:
                break
        return ExecuteResult(steps=tuple(steps), elapsed_ms=(time.monotonic() - started) * 1000)

    async def _load(self, order: ExecuteInput) -> tuple[Case, tuple[PlannedAction, ...]]:
        tenant = TenantId(order.ref.client_id)
        async with self._database.tenant(tenant) as connection:
            case = await CaseRepository(connection, tenant).read(order.ref.run_id)
            if case.draft is None:
                raise LookupError("execute came before the brain")
            await ActionLedger(connection, tenant).record_in_place(
                case.draft.plan,
                run_id=order.ref.run_id,
                round_=order.round,
                new_id=self._new_id,
                now=self._now(),
            )
        return case, case.draft.plan

    async def _run_step(
        self, order: ExecuteInput, case: Case, action: PlannedAction, step: int
    ) -> StepOutcome:
        if action.kind in IN_PLACE:
            return StepOutcome(kind=action.kind, state=StepState.DONE)
        tenant = TenantId(order.ref.client_id)
        async with self._database.tenant(tenant) as connection:
            before = await ActionLedger(connection, tenant).begin(
                run_id=order.ref.run_id,
                step=step,
                round_=order.round,
                kind=action.kind,
                entry_id=self._new_id(),
                now=self._now(),
            )
        if before is not None and before.state is not StepState.UNKNOWN:
            return before
        try:
            outcome = before or await self._do(action, order, case)
        except MailUnreachable:
            await self._note(
                tenant,
                lambda ledger: ledger.release(
                    run_id=order.ref.run_id, step=step, round_=order.round
                ),
            )
            raise
        await self._note(
            tenant,
            lambda ledger: ledger.finish(
                outcome, run_id=order.ref.run_id, step=step, round_=order.round, now=self._now()
            ),
        )
        return outcome

    async def _note(
        self, tenant: TenantId, write: Callable[[ActionLedger], Awaitable[None]]
    ) -> None:
        """Write what is known of an effect, and insist: once forgotten, only a human can tell."""
        for pause in _NOTE_PAUSES_S:
            try:
                async with self._database.tenant(tenant) as connection:
                    return await write(ActionLedger(connection, tenant))
            except EngineUnavailable:
                await asyncio.sleep(pause)
        async with self._database.tenant(tenant) as connection:
            return await write(ActionLedger(connection, tenant))

    async def _do(self, action: PlannedAction, order: ExecuteInput, case: Case) -> StepOutcome:
        try:
            await self._registry[action.kind](case, order.ref.run_id)
        except MailRefused as error:
            return StepOutcome(kind=action.kind, state=StepState.FAILED, detail=error.code)
        except MailUnknown as error:
            return StepOutcome(kind=action.kind, state=StepState.UNKNOWN, detail=error.code)
        return StepOutcome(kind=action.kind, state=StepState.DONE)

    async def _reply_by_email(self, case: Case, run_id: str) -> None:
        await self._mailer.send(
            reply_to(case.event, case.words, brand_name=case.brand_name, key=run_id)
        )
