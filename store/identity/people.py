"""Who a user is, for themselves. It spans clients, as users do."""

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.tenants.client import Role
from store.tenants.tables import client_users, clients, users


@dataclass(frozen=True, slots=True)
class OwnClient:
    """A client that the user may act for."""

    id: str
    brand_name: str
    role: Role


async def user_of(connection: AsyncConnection, email: str) -> str | None:
    """The id of the user with this address."""
    found = await connection.scalar(sa.select(users.c.id).where(users.c.email == email))
    return None if found is None else str(found)


async def address_of(connection: AsyncConnection, user_id: str) -> str | None:
    """None of a user whom another identity provider knows and this service does not."""
    found = await connection.scalar(sa.select(users.c.email).where(users.c.id == user_id))
    return None if found is None else str(found)


async def hold(connection: AsyncConnection, name: str) -> None:
    """Let nobody else decide about this user or address until the transaction ends."""
    await connection.execute(
        sa.select(sa.func.pg_advisory_xact_lock(sa.func.hashtextextended(name, 0)))
    )


async def accounts_since(connection: AsyncConnection, since: datetime) -> int:
    """How many clients were made, by whomever. Who asks is alone with it until the transaction
    ends."""
    await hold(connection, "accounts opened")
    made = await connection.scalar(sa.select(sa.func.count()).where(clients.c.created_at > since))
    return int(made or 0)


async def clients_of(connection: AsyncConnection, user_id: str) -> tuple[OwnClient, ...]:
    """The user's clients but those that are being erased; their own (`client_of`) first."""
    owns = clients.c.owner_user_id == user_id
    own_ids = (
        sa.select(client_users.c.client_id)
        .where(client_users.c.user_id == user_id)
        .union(sa.select(clients.c.id).where(owns))
    )
    rows = await connection.execute(
        sa.select(
            clients.c.id,
            clients.c.brand_name,
            sa.case((owns, Role.OWNER.value), else_=client_users.c.role).label("role"),
        )
        .outerjoin(
            client_users,
            sa.and_(client_users.c.client_id == clients.c.id, client_users.c.user_id == user_id),
        )
        .where(clients.c.closed_at.is_(None), clients.c.id.in_(own_ids))
        .order_by(
            owns.desc(),
            sa.case((owns, clients.c.created_at), else_=client_users.c.created_at),
            clients.c.id,
        )
    )
    return tuple(OwnClient(row.id, row.brand_name, Role(row.role)) for row in rows)
