"""Checkouts: a client's purchases of plans and credits, and their outcomes."""

from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa

from domain.billing.checkout import Checkout, CheckoutState, RenewalState
from domain.billing.errors import CheckoutNotFound
from domain.billing.payment import PaymentEvent
from domain.billing.ports import OpenedCheckout
from domain.core.money import Money
from domain.tenants.client import Plan
from store.billing.tables import checkouts
from store.core.repository import TenantRepository, owner_of


class CheckoutRepository(TenantRepository):
    """The checkouts of one client. Callers that write must hold the account's lock, which
    serializes the changes."""

    async def add(self, checkout: Checkout) -> None:
        await self._connection.execute(
            sa.insert(checkouts).values(
                client_id=self._tenant,
                id=checkout.id,
                plan=checkout.plan,
                credits=checkout.credits,
                amount=checkout.amount.minor,
                currency=checkout.amount.currency,
                monthly=checkout.monthly and checkout.monthly.minor,
                renews_at=checkout.renews_at,
                replaces=checkout.replaces,
                customer_id=checkout.customer_id,
                state=checkout.state,
                created_at=checkout.created_at,
            )
        )

    async def read(self, checkout_id: str) -> Checkout:
        """Return a checkout. Raises CheckoutNotFound."""
        found = await self._find(checkouts.c.id == checkout_id)
        if found is None:
            raise CheckoutNotFound(checkout_id)
        return found

    async def active(self) -> Checkout | None:
        """Return the checkout for the plan that is currently billed monthly, or None."""
        return await self._find(checkouts.c.renewal == RenewalState.ACTIVE)

    async def unpaid_since(self, since: datetime) -> int:
        """Return the number of unpaid checkouts created since `since`."""
        number = await self._connection.scalar(
            sa.select(sa.func.count()).where(
                checkouts.c.client_id == self._tenant,
                checkouts.c.created_at > since,
                checkouts.c.state.in_((CheckoutState.ASKED, CheckoutState.OPEN)),
            )
        )
        return int(number or 0)

    async def lost(self) -> list[Plan]:
        """Return the plans that the client bought but that are no longer billed monthly."""
        found = await self._connection.scalars(
            sa.select(checkouts.c.plan).where(
                checkouts.c.client_id == self._tenant,
                checkouts.c.renewal == RenewalState.ENDED,
                checkouts.c.plan.is_not(None),
            )
        )
        return [Plan(one) for one in found]

    async def customer_id(self) -> str | None:
        """Return the client's customer id at the payment provider, taken from the last paid
        checkout, or None."""
        return await self._connection.scalar(
            sa.select(checkouts.c.customer_id)
            .where(
                checkouts.c.client_id == self._tenant,
                checkouts.c.state == CheckoutState.PAID,
                checkouts.c.customer_id.is_not(None),
            )
            .order_by(checkouts.c.id.desc())
            .limit(1)
        )

    async def replaced(self) -> list[str]:
        """Return the payment provider's ids of replaced subscriptions that still have to be
        cancelled."""
        found = await self._connection.scalars(
            sa.select(checkouts.c.subscription_id).where(
                checkouts.c.client_id == self._tenant,
                checkouts.c.renewal == RenewalState.REPLACED,
                checkouts.c.subscription_id.is_not(None),
            )
        )
        return [one for one in found if one is not None]

    async def opened(self, checkout_id: str, opened: OpenedCheckout) -> None:
        """Store the URL of the payment page for a checkout. If a payment event has already changed
        the checkout's state, keep that state."""
        columns = checkouts.c
        await self._change(
            columns.id == checkout_id,
            url=opened.url,
            session_id=opened.session_id,
            state=sa.case(
                (columns.state == CheckoutState.ASKED, CheckoutState.OPEN.value),
                else_=columns.state,
            ),
        )

    async def become(self, checkout_id: str, state: CheckoutState) -> None:
        await self._change(checkouts.c.id == checkout_id, state=state)

    async def paid(self, event: PaymentEvent, checkout_id: str) -> None:
        """Mark a checkout as paid, and store the payment provider's ids from the event."""
        await self._change(
            checkouts.c.id == checkout_id,
            state=CheckoutState.PAID,
            session_id=event.session_id,
            subscription_id=event.subscription_id,
            customer_id=event.customer_id,
        )

    async def renew(self, checkout_id: str, renewal: RenewalState) -> None:
        await self._change(checkouts.c.id == checkout_id, renewal=renewal)

    async def choose(self, checkout_id: str, choice: str) -> None:
        """Store the client's pending choice of another plan on a checkout. A later choice replaces
        an earlier one."""
        await self._change(checkouts.c.id == checkout_id, choice=choice)

    async def cost(self, checkout_id: str, monthly: Money) -> None:
        """Set the monthly price for a checkout's plan, starting next month."""
        await self._change(checkouts.c.id == checkout_id, monthly=monthly.minor)

    async def ended(self, subscription_id: str) -> None:
        await self._change(
            checkouts.c.subscription_id == subscription_id, renewal=RenewalState.ENDED
        )

    async def _find(self, which: sa.ColumnElement[bool]) -> Checkout | None:
        mine = sa.select(checkouts).where(checkouts.c.client_id == self._tenant, which)
        row = (await self._connection.execute(mine)).one_or_none()
        return None if row is None else _checkout(row)

    async def _change(self, which: sa.ColumnElement[bool], **values: object) -> None:
        await self._connection.execute(
            sa.update(checkouts).where(checkouts.c.client_id == self._tenant, which).values(values)
        )


def _checkout(row: "sa.Row[*tuple[Any, ...]]") -> Checkout:
    def money(minor: int) -> Money:
        return Money(minor=minor, currency=row.currency)

    return Checkout(
        id=row.id,
        client_id=row.client_id,
        plan=None if row.plan is None else Plan(row.plan),
        credits=row.credits,
        amount=money(row.amount),
        monthly=None if row.monthly is None else money(row.monthly),
        renews_at=row.renews_at,
        replaces=row.replaces,
        customer_id=row.customer_id,
        state=CheckoutState(row.state),
        url=row.url,
        session_id=row.session_id,
        subscription_id=row.subscription_id,
        renewal=None if row.renewal is None else RenewalState(row.renewal),
        choice=row.choice,
        created_at=row.created_at,
    )


client_of: Final = owner_of(checkouts, CheckoutNotFound)
