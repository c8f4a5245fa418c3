"""Members who qualify as one of two approvers. They have a verified address and have been members
for long enough."""

from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from adapters.system import utc_now
from domain.tenants.client import Role
from store.tenants.members import MemberRepository
from store.tenants.tables import client_users

LONG_AGO = timedelta(days=2)


async def join(
    connection: AsyncConnection,
    client_id: str,
    user_id: str,
    role: Role,
    *,
    email: str | None = None,
    joined_at: datetime | None = None,
    verified: bool = True,
) -> None:
    """Add a user to the client, by default two days ago and with a verified address."""
    at = joined_at or utc_now() - LONG_AGO
    members = MemberRepository(connection)
    await members.ensure_user(user_id, email or f"{user_id}@example.com", at)
    if verified:
        await members.verify_address(user_id, at)
    await members.add(client_id, user_id, role, at)


async def settle_owner(connection: AsyncConnection, client_id: str, owner: str) -> None:
    """Make the client's owner a member for two days with a verified address."""
    at = utc_now() - LONG_AGO
    await MemberRepository(connection).verify_address(owner, at)
    await connection.execute(
        sa.update(client_users)
        .where(client_users.c.client_id == client_id, client_users.c.user_id == owner)
        .values(created_at=at)
    )
