"""Clients and their owners, as operators manage them. The queries span clients."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.tenants.client import Plan, Role
from domain.tenants.errors import ClientNotFound
from store.tenants.tables import client_users, clients, users


@dataclass(frozen=True, slots=True)
class ClientEntry:
    """A client, as shown to operators. `plan` is the client's plan, disregarding any trial."""

    id: str
    brand_name: str
    plan: Plan
    owner_email: str
    created_at: datetime


_ENTRY: Final = sa.select(
    clients.c.id, clients.c.brand_name, clients.c.plan, users.c.email, clients.c.created_at
).join(users, users.c.id == clients.c.owner_user_id)


def _entry(
    client_id: str, brand: str, plan: str, owner_email: str, created_at: datetime
) -> ClientEntry:
    return ClientEntry(client_id, brand, Plan(plan), owner_email, created_at)


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
        trial_ends_at: datetime | None = None,
    ) -> str:
        """Create a client and, for an unknown address, its owner. Return the owner's user id."""
        owner = await self._connection.scalar(
            insert(users)
            .values(id=user_id, email=owner_email.strip().lower(), created_at=now)
            # The update does not change the row, but makes RETURNING return an existing user too.
            .on_conflict_do_update(index_elements=["email"], set_={"email": users.c.email})
            .returning(users.c.id)
        )
        owner_id = str(owner)
        await self._connection.execute(
            sa.insert(clients).values(
                id=client_id,
                owner_user_id=owner_id,
                brand_name=brand,
                plan=plan,
                trial_ends_at=trial_ends_at,
                created_at=now,
            )
        )
        await self._connection.execute(
            sa.insert(client_users).values(
                client_id=client_id, user_id=owner_id, role=Role.OWNER, created_at=now
            )
        )
        return owner_id

    async def all(self) -> tuple[ClientEntry, ...]:
        """Return all clients, oldest first."""
        rows = await self._connection.execute(_ENTRY.order_by(clients.c.created_at, clients.c.id))
        return tuple(_entry(*row) for row in rows)

    async def entry(self, client_id: str) -> ClientEntry:
        """Return a client. Raises ClientNotFound."""
        found = await self._connection.execute(_ENTRY.where(clients.c.id == client_id))
        row = found.one_or_none()
        if row is None:
            raise ClientNotFound(client_id)
        return _entry(*row)

    async def brand_name(self, client_id: str) -> str:
        """Return the client's brand name, which is shown to customers. Raises ClientNotFound if the
        client does not exist or is being erased."""
        name = await self._connection.scalar(
            sa.select(clients.c.brand_name).where(
                clients.c.id == client_id, clients.c.closed_at.is_(None)
            )
        )
        if name is None:
            raise ClientNotFound(client_id)
        return str(name)

    async def set_brain_budget(self, client_id: str, micros: int | None) -> None:
        """Set the client's own monthly budget for language models, in millionths of a US dollar, or
        None for the configured one. Raises ClientNotFound."""
        found = await self._connection.scalar(
            sa.update(clients)
            .where(clients.c.id == client_id)
            .values(brain_budget_micros=micros)
            .returning(clients.c.id)
        )
        if found is None:
            raise ClientNotFound(client_id)

    async def brain_budget(self, client_id: str) -> int | None:
        """Return the client's own monthly budget for language models, in millionths of a US dollar.
        Return None if the configured budget applies."""
        budget = await self._connection.scalar(
            sa.select(clients.c.brain_budget_micros).where(clients.c.id == client_id)
        )
        return None if budget is None else int(budget)
