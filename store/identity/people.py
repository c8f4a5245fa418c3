"""Users, with their addresses and clients. The queries span clients because a user may belong to no
client or to several clients."""

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.identity.opening import AccountsOpened
from domain.tenants.client import Role
from store.identity.tables import sessions
from store.tenants.tables import client_users, clients, users


@dataclass(frozen=True, slots=True)
class OwnClient:
    """A client on whose behalf the user may act. `owner_email`: distinguishes clients with the same
    name."""

    id: str
    brand_name: str
    role: Role
    owner_email: str


async def user_of(connection: AsyncConnection, email: str) -> str | None:
    """Return the id of the user with this address, or None."""
    found = await connection.scalar(sa.select(users.c.id).where(users.c.email == email))
    return None if found is None else str(found)


async def address_of(connection: AsyncConnection, user_id: str) -> str | None:
    """Return the user's email address. Return None for a user who is known only to another identity
    provider."""
    found = await connection.scalar(sa.select(users.c.email).where(users.c.id == user_id))
    return None if found is None else str(found)


async def hold(connection: AsyncConnection, name: str) -> None:
    """Lock a user or an address until the transaction ends. Concurrent transactions that decide
    about the same user or address wait for the lock."""
    await connection.execute(
        sa.select(sa.func.pg_advisory_xact_lock(sa.func.hashtextextended(name, 0)))
    )


async def accounts_since(
    connection: AsyncConnection, since: datetime, network: str
) -> AccountsOpened:
    """Return the number of clients created since `since`, and the number of these that were created
    after a sign-in from `network`. Concurrent calls wait until the transaction ends."""
    await hold(connection, "accounts opened")
    from_network = sa.exists().where(
        sessions.c.user_id == clients.c.owner_user_id,
        sessions.c.created_at <= clients.c.created_at,
        sessions.c.network == network,
    )
    rows = await connection.execute(
        sa.select(
            sa.func.count().label("anywhere"),
            sa.func.count().filter(from_network).label("from_network"),
        ).where(clients.c.created_at > since)
    )
    row = rows.one()
    return AccountsOpened(row.anywhere, row.from_network)


async def has_own_client(connection: AsyncConnection, user_id: str) -> bool:
    """Return whether the user owns a client that is not being erased."""
    found = await connection.scalar(
        sa.select(clients.c.id)
        .where(clients.c.owner_user_id == user_id, clients.c.closed_at.is_(None))
        .limit(1)
    )
    return found is not None


async def move_address(connection: AsyncConnection, user_id: str, email: str) -> None:
    """Replace a user's email address with an address that the identity provider has verified."""
    await connection.execute(sa.update(users).where(users.c.id == user_id).values(email=email))


async def clients_of(connection: AsyncConnection, user_id: str) -> tuple[OwnClient, ...]:
    """Return the user's clients, except those being erased. The user's default client (`client_of`)
    comes first."""
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
            users.c.email.label("owner_email"),
        )
        .join(users, users.c.id == clients.c.owner_user_id)
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
    return tuple(OwnClient(row.id, row.brand_name, Role(row.role), row.owner_email) for row in rows)
