"""Who a user is, for themselves. It spans clients, as users do."""

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from store.tenants.tables import users


async def user_of(connection: AsyncConnection, email: str) -> str | None:
    """The id of the user with this address."""
    found = await connection.scalar(sa.select(users.c.id).where(users.c.email == email))
    return None if found is None else str(found)


async def address_of(connection: AsyncConnection, user_id: str) -> str | None:
    """None of a user whom another identity provider knows and this service does not."""
    found = await connection.scalar(sa.select(users.c.email).where(users.c.id == user_id))
    return None if found is None else str(found)
