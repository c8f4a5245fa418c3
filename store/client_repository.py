"""Clients, their owners and their credits. For operators and admission: it spans tenants."""

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.client import Plan, Role
from domain.errors import ClientNotFound, InvalidInput
from store.tables import client_users, clients, credit_ledger, users


class ClientRepository:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def create(
        self,
        *,
        client_id: str,
        user_id: str,
        brand: str,
        plan: Plan,
        owner_email: str,
        now: datetime,
    ) -> str:
        """Make a client and, unless the address is known, its owner; return owner_user_id."""
        owner = await self._connection.scalar(
            insert(users)
            .values(id=user_id, email=owner_email.strip().lower(), created_at=now)
            # The no-op update makes RETURNING speak for a user who exists already.
            .on_conflict_do_update(index_elements=["email"], set_={"email": users.c.email})
            .returning(users.c.id)
        )
        owner_id = str(owner)
        await self._connection.execute(
            sa.insert(clients).values(
                id=client_id, owner_user_id=owner_id, brand_name=brand, plan=plan, created_at=now
            )
        )
        await self._connection.execute(
            sa.insert(client_users).values(
                client_id=client_id, user_id=owner_id, role=Role.OWNER, created_at=now
            )
        )
        return owner_id

    async def set_plan(self, client_id: str, plan: Plan) -> None:
        """Change the plan. Raises ClientNotFound."""
        changed = await self._connection.execute(
            sa.update(clients).where(clients.c.id == client_id).values(plan=plan)
        )
        if changed.rowcount == 0:
            raise ClientNotFound(client_id)

    async def add_credits(
        self, client_id: str, *, entry_id: str, amount: int, reason: str, now: datetime
    ) -> int:
        """Move the balance by `amount` credits, write the ledger line, return the new balance.

        Raises ClientNotFound, and InvalidInput where the balance would fall below zero.
        """
        row = (
            await self._connection.execute(
                sa.select(clients.c.credits_balance)
                .where(clients.c.id == client_id)
                .with_for_update()
            )
        ).one_or_none()
        if row is None:
            raise ClientNotFound(client_id)
        balance = int(row.credits_balance) + amount
        if balance < 0:
            raise InvalidInput("the balance of credits cannot fall below zero")
        await self._connection.execute(
            sa.update(clients).where(clients.c.id == client_id).values(credits_balance=balance)
        )
        await self._connection.execute(
            sa.insert(credit_ledger).values(
                client_id=client_id, id=entry_id, amount=amount, reason=reason, created_at=now
            )
        )
        return balance

    async def brand_name(self, client_id: str) -> str:
        """The name the client's customers know it by. Raises ClientNotFound."""
        name = await self._connection.scalar(
            sa.select(clients.c.brand_name).where(clients.c.id == client_id)
        )
        if name is None:
            raise ClientNotFound(client_id)
        return str(name)
