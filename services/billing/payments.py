"""Payment events and their effects. Each payment grants its plan or credits once.

The event and its effect share a transaction under the account's lock. An event that does not match
its checkout is stored without effect, for an operator to check.
"""

from dataclasses import dataclass
from typing import Final

from domain.billing.checkout import Checkout, CheckoutState, RenewalState
from domain.billing.errors import CheckoutNotFound
from domain.billing.payment import (
    EventState,
    PaymentEvent,
    PaymentKind,
    PaymentProblem,
    Settlement,
    doubt,
)
from domain.billing.ports import Payments
from domain.core.ids import TenantId
from domain.tenants.actor import Actor
from domain.tenants.client import Plan
from domain.tenants.errors import ClientNotFound
from services.billing.plans import save_subscription
from services.core.unit_of_work import UnitOfWork, UnitsOfWork
from store.billing.checkouts import CheckoutRepository, client_of
from store.billing.payment_events import PaymentEventRepository
from store.tenants.accounts import AccountRepository

_PROVIDER: Final = Actor.system("payments")
_REASON: Final = "payment"


@dataclass(frozen=True, slots=True)
class Taken:
    """The outcome of a payment event. `client_id` is None for an unknown client. `again` means that
    the event was already processed."""

    settlement: Settlement
    client_id: str | None = None
    again: bool = False


async def take_event(units: UnitsOfWork, event: PaymentEvent, payments: Payments) -> Taken:
    """Process an event from the payment provider, whom the caller has verified.

    After an error, the provider sends the event again, which completes the remaining steps. Raises
    PaymentsUnreachable if a replaced plan could not be cancelled and is still billed.
    """
    tenant = await _tenant_of(units, event)
    if tenant is None:
        return await _of_nobody(units, event)
    async with units.spanning(tenant) as work:
        taken = await _take(work, event)
    await _end_replaced(units, tenant, payments)
    return taken


async def _tenant_of(units: UnitsOfWork, event: PaymentEvent) -> TenantId | None:
    if event.checkout_id is None:
        return None
    try:
        return await units.database.find_client(client_of, event.checkout_id)
    except CheckoutNotFound:
        return None


async def _of_nobody(units: UnitsOfWork, event: PaymentEvent) -> Taken:
    problem = (
        PaymentProblem.MONEY_RETURNED
        if event.kind is PaymentKind.RETURNED
        else PaymentProblem.UNKNOWN_CHECKOUT
    )
    settlement = Settlement.people(problem)
    async with units.everywhere() as work:
        events = PaymentEventRepository(work.connection)
        fresh = await events.add(event, settlement, client_id=None, now=work.now)
    return Taken(settlement, again=not fresh)


async def _take(work: UnitOfWork, event: PaymentEvent) -> Taken:
    events = PaymentEventRepository(work.connection)
    is_open = await _lock(work)
    # This check runs under the lock, so a concurrent delivery of the same event waits until this
    # delivery is processed.
    if await events.is_known(event.id):
        return Taken(Settlement(EventState.NOTED), work.tenant, again=True)
    checkouts = CheckoutRepository(work.connection, work.tenant)
    checkout = await checkouts.read(event.checkout_id or "")
    problem = doubt(event, checkout, await checkouts.active())
    if event.kind is PaymentKind.PAID and checkout.state is CheckoutState.PAID:
        # The payment provider reports a single payment in several events of different types. Only
        # the first one has an effect.
        repeated = event.session_id == checkout.session_id
        settlement = (
            Settlement(EventState.NOTED)
            if repeated
            else Settlement.people(PaymentProblem.OTHER_SESSION)
        )
    elif problem is not None:
        settlement = Settlement.people(problem)
    elif not is_open:
        settlement = Settlement.people(PaymentProblem.CLIENT_CLOSED)
    else:
        settlement = Settlement(await _apply(work, event, checkout))
    await events.add(event, settlement, client_id=work.tenant, now=work.now)
    return Taken(settlement, work.tenant)


async def _lock(work: UnitOfWork) -> bool:
    """Lock the client's account. Return False if the client is being erased."""
    try:
        await AccountRepository(work.connection, work.tenant).lock()
    except ClientNotFound:
        return False
    return True


async def _apply(work: UnitOfWork, event: PaymentEvent, checkout: Checkout) -> EventState:
    checkouts = CheckoutRepository(work.connection, work.tenant)
    match event.kind:
        case PaymentKind.PAID:
            await checkouts.paid(event, checkout.id)
            if checkout.plan is None:
                await _credit(work, checkout)
            else:
                await _raise_plan(work, checkout, checkout.plan)
        case PaymentKind.ENDED if checkout.plan is not None:
            await checkouts.renew(checkout.id, RenewalState.ENDED)
            if checkout.renewal is not RenewalState.ACTIVE:
                return EventState.NOTED
            await _lower_plan(work, checkout.plan, at_period_end=event.at_period_end)
            work.note(_PROVIDER, "plan no longer paid for", checkout_id=checkout.id)
        case PaymentKind.PENDING if checkout.state in (CheckoutState.ASKED, CheckoutState.OPEN):
            await checkouts.become(checkout.id, CheckoutState.PENDING)
        case PaymentKind.FAILED if checkout.state is not CheckoutState.PAID:
            await checkouts.become(checkout.id, CheckoutState.FAILED)
        case _:
            return EventState.NOTED
    return EventState.APPLIED


async def _credit(work: UnitOfWork, checkout: Checkout) -> None:
    entry_id = work.new_id()
    await AccountRepository(work.connection, work.tenant).add_credits(
        checkout.credits or 0, entry_id=entry_id, reason=_REASON, now=work.now
    )
    work.note(_PROVIDER, "credits paid for", checkout_id=checkout.id, entry_id=entry_id)


async def _raise_plan(work: UnitOfWork, checkout: Checkout, plan: Plan) -> None:
    checkouts = CheckoutRepository(work.connection, work.tenant)
    accounts = AccountRepository(work.connection, work.tenant)
    subscription = (await accounts.lock()).subscription
    if subscription.is_above(plan, work.now) or subscription.settled(work.now).plan is plan:
        await save_subscription(work, accounts, subscription.changed_to(plan, work.now))
    if checkout.replaces is not None:
        await checkouts.renew(checkout.replaces, RenewalState.REPLACED)
    if checkout.renewal is RenewalState.ENDED:
        # The events arrived in the wrong order: the provider has already reported the end of this
        # subscription.
        await _lower_plan(work, plan, at_period_end=False)
    else:
        await checkouts.renew(checkout.id, RenewalState.ACTIVE)
    work.note(_PROVIDER, "plan paid for", checkout_id=checkout.id, plan=plan.value)


async def _lower_plan(work: UnitOfWork, bought: Plan, *, at_period_end: bool) -> None:
    accounts = AccountRepository(work.connection, work.tenant)
    subscription = (await accounts.lock()).subscription
    left = subscription.unpaid(bought, work.now, at_period_end=at_period_end)
    await save_subscription(work, accounts, left)


async def _end_replaced(units: UnitsOfWork, tenant: TenantId, payments: Payments) -> None:
    """Ask the payment provider to cancel each subscription that another plan has replaced."""
    async with units.database.reading(tenant) as connection:
        replaced = await CheckoutRepository(connection, tenant).replaced()
    for subscription_id in replaced:
        await payments.end(subscription_id)
        async with units.of(tenant) as work:
            await CheckoutRepository(work.connection, tenant).ended(subscription_id)
