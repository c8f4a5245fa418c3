"""Changes to a client's plan. Operators can set any plan, and the client's owner can downgrade."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from domain.billing.checkout import Checkout
from domain.billing.errors import NotALowerPlan, PaymentsUnavailable, PaymentsUnreachable
from domain.billing.ports import Payments
from domain.billing.prices import PriceList
from domain.billing.subscription import Subscription
from domain.core.ids import TenantId
from domain.core.money import Money
from domain.tenants.actor import OPERATORS, OWNERS, Actor
from domain.tenants.client import Plan
from services.core.unit_of_work import UnitOfWork, UnitsOfWork
from store.billing.checkouts import CheckoutRepository
from store.billing.thresholds import note_reached
from store.tenants.accounts import AccountRepository

# Maximum number of attempts to save a plan choice while other choices are saved concurrently.
_TRIES: Final = 3


async def change_plan(work: UnitOfWork, actor: Actor, plan: Plan) -> Subscription:
    """Change a client's plan: an upgrade immediately, a downgrade next month.

    Usage thresholds that a lower limit reaches send their webhook events. Raises RoleRequired,
    ClientNotFound.
    """
    actor.require(OPERATORS)
    accounts = AccountRepository(work.connection, work.tenant)
    changed = (await accounts.lock()).subscription.changed_to(plan, work.now)
    await save_subscription(work, accounts, changed)
    work.note(actor, "plan changed", plan=plan.value)
    return changed


async def give_trial(work: UnitOfWork, actor: Actor, days: int) -> datetime | None:
    """Grant the client the quota and features of the pro plan for the next `days` days, or end the
    trial with 0. Return its end. Raises RoleRequired, ClientNotFound."""
    actor.require(OPERATORS)
    ends_at = work.now + timedelta(days=days) if days else None
    accounts = AccountRepository(work.connection, work.tenant)
    subscription = (await accounts.lock()).subscription
    await save_subscription(work, accounts, replace(subscription, trial_ends_at=ends_at))
    work.note(actor, "trial set", days=str(days))
    return ends_at


async def choose_plan(
    units: UnitsOfWork,
    actor: Actor,
    tenant: TenantId,
    plan: Plan,
    *,
    prices: PriceList,
    payments: Payments | None,
) -> Subscription:
    """Schedule a downgrade to a lower plan, or to no plan, for next month. The current plan cancels
    a scheduled downgrade.

    A monthly payment is updated at the provider first. If a later step fails, the owner must choose
    again. Raises RoleRequired, NotALowerPlan, NotForSale, ClientNotFound, PaymentsUnavailable and
    PaymentsUnreachable.
    """
    actor.require(OWNERS)
    for _ in range(_TRIES):
        async with units.of(tenant) as work:
            active = await _check_lower(work, plan)
            if active is None or active.subscription_id is None:
                return await _choose(work, actor, plan, active, None)
            if payments is None:
                raise PaymentsUnavailable
            monthly = _paid_from_then(plan, active, prices, work.now)
            choice = work.new_id()
            await CheckoutRepository(work.connection, tenant).choose(active.id, choice)
        await payments.renew(active.subscription_id, monthly)
        async with units.of(tenant) as work:
            active = await _check_lower(work, plan)
            # If another choice was stored in the meantime, it may have reached the payment provider
            # last. This choice is then sent again.
            if active is not None and active.choice == choice:
                return await _choose(work, actor, plan, active, monthly)
    raise PaymentsUnreachable("chosen at the same time")


async def _choose(
    work: UnitOfWork, actor: Actor, plan: Plan, active: Checkout | None, monthly: Money | None
) -> Subscription:
    accounts = AccountRepository(work.connection, work.tenant)
    changed = (await accounts.lock()).subscription.changed_to(
        plan, work.now, paid_until=active.renews_at if active else None
    )
    await save_subscription(work, accounts, changed)
    if active is not None and monthly is not None:
        await CheckoutRepository(work.connection, work.tenant).cost(active.id, monthly)
    work.note(actor, "plan chosen", plan=plan.value)
    return changed


def _paid_from_then(plan: Plan, active: Checkout, prices: PriceList, now: datetime) -> Money | None:
    """Return the monthly price starting next month. If an operator granted a higher plan than the
    one bought, the payments for the bought plan continue."""
    if plan is Plan.FREE:
        return None
    bought = active.plan or plan
    return active.monthly if Subscription(bought).is_above(plan, now) else prices.of_plan(plan)


async def _check_lower(work: UnitOfWork, plan: Plan) -> Checkout | None:
    """Return the checkout whose plan is billed monthly, or None. Raises NotALowerPlan for an
    upgrade, and if payments for the chosen plan or a higher plan have ended."""
    account = await AccountRepository(work.connection, work.tenant).lock()
    if account.subscription.is_above(plan, work.now):
        raise NotALowerPlan(plan.value)
    checkouts = CheckoutRepository(work.connection, work.tenant)
    active = await checkouts.active()
    lost = await checkouts.lost() if active is None else []
    if account.subscription.is_below(plan, work.now) and any(
        not Subscription(one).is_above(plan, work.now) for one in lost
    ):
        raise NotALowerPlan(plan.value)
    return active


async def save_subscription(
    work: UnitOfWork, accounts: AccountRepository, subscription: Subscription
) -> None:
    """Store the client's subscription. Send webhook events for the usage thresholds that are
    reached under the new limits."""
    await accounts.save(subscription)
    work.deliver(*await note_reached(work.connection, work.tenant, work.now, work.new_id))
