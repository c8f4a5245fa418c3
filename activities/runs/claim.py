"""The claim on a step: what is settled about it, under a lock where money is counted, before it."""

from dataclasses import dataclass
from typing import Final
from uuid import UUID, uuid5

from domain.agent.plan import ON_ORDERS, REPLIES, PlannedAction, StepOutcome, StepState
from domain.agent.policy import recheck
from domain.agent.verdict import PolicyReason, Verdict
from domain.core.ids import TenantId
from domain.core.ports import Clock
from domain.intake.customer_email import customer_key
from domain.integrations.errors import ActionRefused
from domain.integrations.integration import Integration
from domain.integrations.known_order import with_facts
from domain.integrations.order import Order
from store.core.database import Database
from store.integrations.order_facts import OrderFactRepository
from store.runs.action_ledger import ActionLedger, Effect, LedgerClaim, LedgerPlace
from store.runs.cases import Case
from store.runs.runs import RunRepository

_KEYS: Final = UUID("5f0f7f5c-3c0c-4a3f-9c0e-6f6f0a6f8a51")


@dataclass(frozen=True, slots=True)
class Job:
    """What a run's steps have in common."""

    tenant: TenantId
    run_id: str
    round: int
    case: Case
    integrations: dict[str, Integration]

    def place(self, step: int) -> LedgerPlace:
        return LedgerPlace(self.run_id, step, self.round)


def key_of(job: Job, action: PlannedAction, index: int) -> str:
    """The effect's name on the other side. Other words of a human are another message, not a
    repetition: what was sent before them must not pass for them."""
    words = job.case.human_text if action.kind in REPLIES else None
    return str(uuid5(_KEYS, "/".join((job.run_id, str(index), *([words] if words else ())))))


async def claim(
    database: Database,
    job: Job,
    action: PlannedAction,
    index: int,
    *,
    integration: Integration | None,
    order: Order | None,
    entry_id: str,
    now: Clock,
) -> StepOutcome | LedgerClaim:
    """The claim on a step, or what forbids it now.

    What is limited is counted behind a lock, so that of two at once one sees the other. Raises
    ActionRefused for a step that was begun before and whose order is gone.
    """
    async with database.tenant(job.tenant) as connection:
        ledger = ActionLedger(connection, job.tenant)
        effect = _effect(job.case, action, integration, order)
        blocked: PolicyReason | None = None
        if action.kind in ON_ORDERS:
            await ledger.lock_money()
            if not await ledger.was_begun(job.place(index)):
                facts = OrderFactRepository(connection, job.tenant)
                blocked = await _blocked(ledger, facts, job, effect, (action, order), now=now)
            elif order is None or order.id != action.order_id:
                raise ActionRefused("begun before, and its order is not found any more")
        if blocked is None:
            return await ledger.begin(job.place(index), effect, entry_id=entry_id, now=now())
        await RunRepository(connection, job.tenant).add_verdict(
            job.run_id, Verdict.blocked(action.kind, blocked)
        )
    return StepOutcome(kind=action.kind, state=StepState.BLOCKED, detail=blocked)


async def _blocked(
    ledger: ActionLedger,
    facts: OrderFactRepository,
    job: Job,
    effect: Effect,
    planned: tuple[PlannedAction, Order | None],
    *,
    now: Clock,
) -> PolicyReason | None:
    action, order = planned
    if order is None or order.id != action.order_id:
        return PolicyReason.NOT_THEIRS
    # A dispute may have been told of since the agent thought.
    order = with_facts(order, await facts.about(order))
    spent = await ledger.spent(
        order_key=order.key,
        customer=effect.customer_key,
        currency=order.refundable.currency,
        not_by=job.run_id,
        now=now(),
    )
    return recheck(
        action,
        job.case.rulebook,
        order,
        spent,
        customer_email=job.case.event.customer_email,
        approvals=job.case.approvals,
        now=now(),
    )


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
