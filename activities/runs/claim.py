"""Claim a step of a plan before its execution, with the checks that must precede the action. Checks
that add up amounts run under a lock."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncConnection

from domain.agent.plan import ON_ORDERS, REPLIES, PlannedAction, StepOutcome
from domain.agent.policy import recheck
from domain.agent.policy_decision import PolicyDecision, PolicyReason
from domain.core.ids import TenantId
from domain.core.ports import Clock, Sealer
from domain.intake.customer_email import customer_key
from domain.integrations.errors import ActionRefused
from domain.integrations.integration import Integration
from domain.integrations.known_order import with_facts
from domain.integrations.order import Order
from domain.integrations.providers import HELPDESKS, Provider
from domain.privacy.erased_customer import refunded_as
from domain.runs.action_key import action_key
from store.core.database import Database
from store.integrations.helpdesk_pauses import HelpdeskPauseRepository
from store.integrations.order_facts import OrderFactRepository
from store.reviews.escalations import EscalationRepository
from store.reviews.later_turns import LaterTurns
from store.runs.action_ledger import ActionLedger, Effect, LedgerClaim, LedgerPlace
from store.runs.cases import Case, CaseRepository
from store.runs.runs import RunRepository
from store.tenants.automation import AutomationStops


@dataclass(frozen=True, slots=True)
class Job:
    """The data that all steps of a run share. `kept_by` is why the plan was held when it was
    loaded: a takeover, or a stop of all automation. `is_recorded` means that all steps are in the
    action ledger, because none affects another system."""

    tenant: TenantId
    run_id: str
    round: int
    case: Case
    integrations: dict[str, Integration]
    kept_by: PolicyReason | None = None
    is_recorded: bool = False

    def place(self, step: int) -> LedgerPlace:
        return LedgerPlace(self.run_id, step, self.round)


def key_of(job: Job, action: PlannedAction, index: int) -> str:
    """Return the idempotency key for an action's effect on the external system."""
    return action_key(job.run_id, index, job.case.human_text if action.says_the_answer else None)


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
    sealer: Sealer,
) -> StepOutcome | LedgerClaim:
    """Claim a step, or return a blocked outcome with the reason.

    Amounts are added up under a lock that includes concurrent runs. No step runs in a ticket that a
    human is answering, or while automation is stopped. No answer is sent while a member's reply is
    scheduled. Raises ActionRefused for a started step that must not be repeated: its order was not
    found, or humans now decide.
    """
    async with database.tenant(job.tenant) as connection:
        ledger = ActionLedger(connection, job.tenant)
        effect = _effect(job.case, action, integration, order)
        blocked = await _left_to_people(connection, job, action, now)
        if blocked is not None:
            if await ledger.was_started(job.place(index)):
                raise ActionRefused(f"started before, and left to people now: {blocked}")
        elif action.kind in ON_ORDERS:
            await ledger.lock_money()
            if not await ledger.was_started(job.place(index)):
                facts = OrderFactRepository(connection, job.tenant)
                customer = refunded_as(sealer, job.tenant, effect.customer_key)
                blocked = await _blocked(ledger, facts, job, customer, (action, order), now=now)
            elif order is None or order.id != action.order_id:
                raise ActionRefused("started before, and its order is not found any more")
        if blocked is None:
            return await ledger.begin(job.place(index), effect, entry_id=entry_id, now=now())
        await RunRepository(connection, job.tenant).add_verdict(
            job.run_id, PolicyDecision.blocked(action.kind, blocked)
        )
    return StepOutcome.blocked(action.kind, blocked)


async def _left_to_people(
    connection: AsyncConnection, job: Job, action: PlannedAction, now: Clock
) -> PolicyReason | None:
    if await AutomationStops(connection, job.tenant).holds(job.run_id):
        return PolicyReason.AUTOMATION_STOPPED
    if await is_kept_back(connection, job, action):
        return PolicyReason.TAKEN_OVER
    return PolicyReason.PEOPLE_ANSWER if await _people_answer(connection, job, now) else None


async def is_kept_back(connection: AsyncConnection, job: Job, action: PlannedAction) -> bool:
    """Return True if the action is the agent's own answer in a conversation that a member has taken
    over or is answering. The member may have done so while the plan's earlier steps ran."""
    if action.kind not in REPLIES or job.case.approvals:
        return False
    return await CaseRepository(connection, job.tenant).is_taken(job.run_id)


async def stays_joined(
    connection: AsyncConnection, job: Job, event_id: str, now: datetime
) -> str | None:
    """Return the review that contains or receives the message, or None if the plan can run. The
    message is added if human agents handle the conversation and no step has started."""
    case = job.case
    aside_of = None if case.draft is None else case.draft.aside_of
    if case.approvals or not (aside_of or case.is_held):
        return None
    if await ActionLedger(connection, job.tenant).was_started(job.place(0)):
        return None
    if aside_of is None:
        return await EscalationRepository(connection, job.tenant).join_late(event_id)
    turns = LaterTurns(connection, job.tenant)
    may_answer = await turns.turn_aside(job.run_id, event_id, aside_of, now)
    return None if may_answer else aside_of


async def _people_answer(connection: AsyncConnection, job: Job, now: Clock) -> bool:
    event = job.case.event
    if not (event.is_in_ticket and event.ticket_id and event.platform in HELPDESKS):
        return False
    pauses = HelpdeskPauseRepository(connection, job.tenant)
    return await pauses.is_paused_at(Provider(event.platform), event.ticket_id, now())


async def _blocked(
    ledger: ActionLedger,
    facts: OrderFactRepository,
    job: Job,
    customer: tuple[str, ...],
    planned: tuple[PlannedAction, Order | None],
    *,
    now: Clock,
) -> PolicyReason | None:
    action, order = planned
    if order is None or order.id != action.order_id:
        return PolicyReason.NOT_THEIRS
    # A webhook may have reported a dispute since the agent's decision.
    order = with_facts(order, await facts.about(order))
    spent = await ledger.spent(
        order_key=order.key,
        order_number=order.number,
        customer=customer,
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
        return Effect(
            action.kind, integration.id if integration else None, ticket_id=action.ticket_id
        )
    return Effect(
        action.kind,
        action.integration_id,
        order.key,
        customer_key(case.event.customer_email),
        action.amount,
        order_number=order.folded_number,
    )
