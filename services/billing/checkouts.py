"""Purchases of plans and credits. A checkout is stored first, then opened at the payment provider.

The payment grants the plan or credits later (`services/billing/payments.py`).
"""

from dataclasses import dataclass
from datetime import datetime

from domain.billing.checkout import MAX_OPEN, OPEN_FOR, Checkout, first_payment
from domain.billing.errors import NotForSale, PaymentsUnavailable, TooManyCheckouts
from domain.billing.ports import Payments
from domain.billing.prices import PriceList
from domain.billing.subscription import Subscription
from domain.core.ids import TenantId
from domain.core.money import Money
from domain.tenants.actor import MANAGERS, OWNERS, Actor
from domain.tenants.client import Plan
from services.core.unit_of_work import UnitOfWork, UnitsOfWork
from store.billing.checkouts import CheckoutRepository
from store.tenants.accounts import AccountRepository


@dataclass(frozen=True, slots=True)
class Offered:
    """A checkout that the client can pay. `url` is the payment page, valid until `expires_at`."""

    checkout_id: str
    url: str
    expires_at: datetime


async def buy_plan(
    units: UnitsOfWork,
    actor: Actor,
    tenant: TenantId,
    plan: Plan,
    *,
    prices: PriceList,
    payments: Payments | None,
) -> Offered:
    """Start a checkout for a plan upgrade: the rest of this month now, then monthly.

    Raises RoleRequired, PaymentsUnavailable, NotForSale, TooManyCheckouts, ClientNotFound, and
    PaymentsUnreachable, which is safe to retry.
    """
    actor.require(OWNERS)
    if payments is None:
        raise PaymentsUnavailable
    async with units.of(tenant) as work:
        account = await AccountRepository(work.connection, tenant).lock()
        monthly = prices.of_plan(plan)
        if not account.subscription.is_above(plan, work.now):
            raise NotForSale(plan.value)
        repository = CheckoutRepository(work.connection, tenant)
        active = await repository.active()
        first = first_payment(
            monthly,
            work.now,
            paid=_paid(active, account.subscription, prices, work.now) if active else None,
            paid_until=active.renews_at if active else None,
        )
        checkout = Checkout(
            id=work.new_id(),
            client_id=tenant,
            plan=plan,
            amount=first.amount,
            monthly=monthly,
            renews_at=first.renews_at,
            replaces=active.id if active else None,
            customer_id=await repository.customer_id(),
            created_at=work.now,
        )
        await _ask(work, actor, checkout)
    return await _open(units, tenant, checkout, payments)


async def buy_credits(
    units: UnitsOfWork,
    actor: Actor,
    tenant: TenantId,
    pack: int,
    *,
    prices: PriceList,
    payments: Payments | None,
) -> Offered:
    """Start a checkout for a pack of `pack` credits. Raises the same errors as `buy_plan`."""
    actor.require(MANAGERS)
    if payments is None:
        raise PaymentsUnavailable
    async with units.of(tenant) as work:
        await AccountRepository(work.connection, tenant).lock()
        checkout = Checkout(
            id=work.new_id(),
            client_id=tenant,
            credits=pack,
            amount=prices.of_pack(pack),
            customer_id=await CheckoutRepository(work.connection, tenant).customer_id(),
            created_at=work.now,
        )
        await _ask(work, actor, checkout)
    return await _open(units, tenant, checkout, payments)


def _paid(
    active: Checkout, subscription: Subscription, prices: PriceList, now: datetime
) -> Money | None:
    """Return the monthly price that the client paid for this month. If the client has since
    scheduled a downgrade, the checkout contains the future price, so use the price list instead."""
    if active.plan is None or subscription.settled(now).next_plan is None:
        return active.monthly
    return prices.plans.get(subscription.paid(active.plan, now), active.monthly)


async def _ask(work: UnitOfWork, actor: Actor, checkout: Checkout) -> None:
    repository = CheckoutRepository(work.connection, work.tenant)
    if await repository.unpaid_since(work.now - OPEN_FOR) >= MAX_OPEN:
        raise TooManyCheckouts
    await repository.add(checkout)
    work.note(actor, "checkout asked for", checkout_id=checkout.id)


async def _open(
    units: UnitsOfWork, tenant: TenantId, checkout: Checkout, payments: Payments
) -> Offered:
    opened = await payments.open(checkout)
    async with units.of(tenant) as work:
        await CheckoutRepository(work.connection, tenant).opened(checkout.id, opened)
    return Offered(checkout.id, opened.url, checkout.expires_at)
