"""Execute: carry the plan out, each step once."""

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from temporalio import activity

from domain import names
from domain.contracts import ExecuteInput, ExecuteResult
from domain.errors import MailRefused, MailUnknown, MailUnreachable
from domain.event import UnifiedEvent
from domain.ids import TenantId
from domain.mail_reply import reply_to
from domain.plan import ActionKind, PlannedAction, StepOutcome, StepState
from domain.ports import Clock, Mailer, NewId
from store.action_ledger import ActionLedger
from store.client_repository import ClientRepository
from store.database import Database
from store.escalation_repository import EscalationRepository
from store.event_repository import EventRepository
from store.run_repository import RunRepository


@dataclass(frozen=True, slots=True)
class Task:
    """What a step works on."""

    event: UnifiedEvent
    text: str
    brand_name: str
    run_id: str
    step: int


Handler = Callable[[Task], Awaitable[None]]
"""Does one action. Raises a DomainError that says whether the effect surely did not happen."""


class Execute:
    """The registry of actions, and the ledger around each."""

    def __init__(self, database: Database, mailer: Mailer, now: Clock, new_id: NewId) -> None:
        self._database = database
        self._mailer = mailer
        self._now = now
        self._new_id = new_id
        self._registry: dict[ActionKind, Handler] = {
            ActionKind.REPLY: self._reply,
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
        plan, task = await self._load(order)
        steps: list[StepOutcome] = []
        for index, action in enumerate(plan):
            outcome = await self._run_step(order, action, task(index))
            steps.append(outcome)
            if outcome.state is not StepState.DONE:
                break
        return ExecuteResult(steps=tuple(steps), elapsed_ms=(time.monotonic() - started) * 1000)

    async def _load(
        self, order: ExecuteInput
    ) -> tuple[tuple[PlannedAction, ...], Callable[[int], Task]]:
        ref, tenant = order.ref, TenantId(order.ref.client_id)
        async with self._database.transaction() as connection:
            draft = await RunRepository(connection, tenant).draft(ref.run_id)
            if draft is None:
                raise LookupError("execute came before the brain")
            chosen = await EscalationRepository(connection, tenant).approved_text(ref.run_id)
            event = await EventRepository(connection, tenant).unified(ref.event_id)
            brand_name = await ClientRepository(connection).brand_name(tenant)
        text = draft.text if chosen is None else chosen
        return draft.plan, lambda step: Task(event, text, brand_name, ref.run_id, step)

    async def _run_step(
        self, order: ExecuteInput, action: PlannedAction, task: Task
    ) -> StepOutcome:
        tenant = TenantId(order.ref.client_id)
        async with self._database.transaction() as connection:
            before = await ActionLedger(connection, tenant).begin(
                run_id=task.run_id,
                step=task.step,
                round_=order.round,
                kind=action.kind,
                entry_id=self._new_id(),
                now=self._now(),
            )
        if before is not None and before.state is not StepState.UNKNOWN:
            return before
        try:
            outcome = before or await self._do(action, task)
        except MailUnreachable:
            async with self._database.transaction() as connection:
                await ActionLedger(connection, tenant).release(
                    run_id=task.run_id, step=task.step, round_=order.round
                )
            raise
        async with self._database.transaction() as connection:
            await ActionLedger(connection, tenant).finish(
                outcome, run_id=task.run_id, step=task.step, round_=order.round, now=self._now()
            )
        return outcome

    async def _do(self, action: PlannedAction, task: Task) -> StepOutcome:
        try:
            await self._registry[action.kind](task)
        except MailRefused as error:
            return StepOutcome(kind=action.kind, state=StepState.FAILED, detail=error.code)
        except MailUnknown as error:
            return StepOutcome(kind=action.kind, state=StepState.UNKNOWN, detail=error.code)
        return StepOutcome(kind=action.kind, state=StepState.DONE)

    async def _reply(self, task: Task) -> None:
        """The caller is handed the text with the gateway's answer: nothing else to do."""

    async def _reply_by_email(self, task: Task) -> None:
        await self._mailer.send(
            reply_to(task.event, task.text, brand_name=task.brand_name, key=task.run_id)
        )
