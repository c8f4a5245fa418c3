"""The account: a client's subscription and credits. Its row is the lock for all of the client's
counters.

A separate statement locks it before admission, plan or credit changes, and key revocation. The next
statement sees data that stays current until the transaction ends. With a single lock, no lock order
is needed.
"""

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.billing.subscription import Subscription
from domain.core.errors import InvalidInput
from domain.core.ids import TenantId
from domain.tenants.client import Plan
from domain.tenants.errors import ClientNotFound
from store.billing.tables import credit_ledger
from store.core.repository import TenantRepository
from store.tenants.tables import clients


@dataclass(frozen=True, slots=True)
class Account:
    subscription: Subscription
    credits_balance: int


_ACCOUNT: Final = sa.select(
    clients.c.plan,
    clients.c.trial_ends_at,
    clients.c.next_plan,
    clients.c.next_plan_from,
    clients.c.credits_balance,
).where(clients.c.id == sa.bindparam("tenant"), clients.c.closed_at.is_(None))
# The lock mode is NO KEY, so that rows with a foreign key to the client can be inserted while the
# lock is held.
_LOCK: Final = _ACCOUNT.with_for_update(key_share=True)


class AccountRepository(TenantRepository):
    async def lock(self) -> Account:
        """Lock the client's account until the transaction ends, and return it.

        Raises ClientNotFound if the client does not exist or is being erased.
        """
        return await self._read(_LOCK)

    async def subscription(self) -> Subscription:
        """Return the client's subscription without taking a lock. Raises ClientNotFound under the
        same conditions as `lock`."""
        return (await self._read(_ACCOUNT)).subscription

    async def save(self, subscription: Subscription) -> None:
        await self._update(
            plan=subscription.plan,
            trial_ends_at=subscription.trial_ends_at,
            next_plan=subscription.next_plan,
            next_plan_from=subscription.next_plan_from,
        )

    async def add_credits(self, amount: int, *, entry_id: str, reason: str, now: datetime) -> int:
        """Change the credit balance by `amount`, add an entry to the credit ledger, and return the
        new balance. Raises ClientNotFound, and InvalidInput if the balance would fall below zero.
        """
        balance = (await self.lock()).credits_balance + amount
        if balance < 0:
            raise InvalidInput("the balance of credits cannot fall below zero")
        await self._update(credits_balance=balance)
        await self._connection.execute(
            sa.insert(credit_ledger).values(
                client_id=self._tenant, id=entry_id, amount=amount, reason=reason, created_at=now
            )
        )
        return balance

    async def _read(self, statement: "sa.Select[*tuple[Any, ...]]") -> Account:
        row = await self._one(statement, {"tenant": self._tenant}, ClientNotFound(self._tenant))
        return Account(subscription_of(row), row.credits_balance)

    async def _update(self, **values: object) -> None:
        await self._connection.execute(
            sa.update(clients).where(clients.c.id == self._tenant).values(**values)
        )


def subscription_of(row: "sa.Row[*tuple[Any, ...]]") -> Subscription:
    """Return the subscription in a row that contains a client's subscription columns."""
    return Subscription(
        plan=Plan(row.plan),
        trial_ends_at=row.trial_ends_at,
        next_plan=Plan(row.next_plan) if row.next_plan else None,
        next_plan_from=row.next_plan_from,
    )


async def lock_if_open(connection: AsyncConnection, tenant: TenantId) -> None:
    """Lock the client's account, unless the client is being erased. Call this function before any
    other row is locked."""
    with suppress(ClientNotFound):
        await AccountRepository(connection, tenant).lock()
