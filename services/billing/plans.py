"""What operators do with a client's plan."""

from dataclasses import replace
from datetime import datetime, timedelta

from domain.billing.subscription import Subscription
from domain.tenants.actor import OPERATORS, Actor
from domain.tenants.client import Plan
from services.core.unit_of_work import UnitOfWork
from store.billing.thresholds import note_reached
from store.tenants.accounts import AccountRepository


async def change_plan(work: UnitOfWork, actor: Actor, plan: Plan) -> Subscription:
    """Upwards at once, downwards from the next month on. A limit that falls below what was used is
    told. Raises RoleRequired, ClientNotFound.
    """
    actor.require(OPERATORS)
    accounts = AccountRepository(work.connection, work.tenant)
    changed = (await accounts.lock()).subscription.changed_to(plan, work.now)
    await _save(work, accounts, changed)
    work.note(actor, "plan changed", plan=plan.value)
    return changed


async def give_trial(work: UnitOfWork, actor: Actor, days: int) -> datetime | None:
    """Give the pro plan's quota and features for so many days from now; 0 ends the trial. Returns
    its end. Raises RoleRequired, ClientNotFound.
    """
    actor.require(OPERATORS)
    ends_at = work.now + timedelta(days=days) if days else None
    accounts = AccountRepository(work.connection, work.tenant)
    subscription = (await accounts.lock()).subscription
    await _save(work, accounts, replace(subscription, trial_ends_at=ends_at))
    work.note(actor, "trial set", days=str(days))
    return ends_at


async def _save(work: UnitOfWork, accounts: AccountRepository, subscription: Subscription) -> None:
    await accounts.save(subscription)
    work.deliver(*await note_reached(work.connection, work.tenant, work.now, work.new_id))
