"""Users and their clients: memberships, and each user's own client."""

from datetime import timedelta

import pytest
from sqlalchemy.ext.asyncio import AsyncConnection

from adapters.system import new_ulid, utc_now
from domain.core.errors import InvalidInput
from domain.tenants.client import Plan, Role
from domain.tenants.errors import ClientNotFound
from store.core.database import Database
from store.tenants.clients import ClientRepository
from store.tenants.members import MemberRepository
from store.tenants.tables import client_users
from tests.support.core.rows import only_row

pytestmark = pytest.mark.own_database

NOW = utc_now()


async def open_client(
    connection: AsyncConnection, client_id: str, owner_email: str, *, days: int = 0
) -> str:
    """Create a client some days ago; return its owner."""
    return await ClientRepository(connection).create(
        client_id=client_id, user_id=new_ulid(), brand="B", plan=Plan.FREE,
        owner_email=owner_email, now=NOW - timedelta(days=days),
    )  # fmt: skip


async def test_own_client_is_the_oldest_owned(database: Database) -> None:
    young, old, twin = sorted(new_ulid() for _ in range(3))
    async with database.service() as connection:
        members = MemberRepository(connection)
        owner = await open_client(connection, young, "owner@example.com")
        await open_client(connection, twin, "OWNER@example.com ", days=5)
        await open_client(connection, old, "owner@example.com", days=5)
        # Joined before owning a client: the owned client comes first.
        joined = new_ulid()
        await open_client(connection, joined, "other@example.com", days=9)
        await members.add(joined, owner, Role.ADMIN, NOW - timedelta(days=9))

        assert await members.client_of(owner) == old


async def test_own_client_is_else_the_first_joined(database: Database) -> None:
    late, early, twin = sorted(new_ulid() for _ in range(3))
    async with database.service() as connection:
        members = MemberRepository(connection)
        await members.ensure_user("sub|1", "m@example.com", NOW)
        assert await members.client_of("sub|1") is None
        for client_id, days in ((late, 0), (twin, 5), (early, 5)):
            await open_client(connection, client_id, "owner@example.com")
            await members.add(client_id, "sub|1", Role.VIEWER, NOW - timedelta(days=days))

        assert await members.client_of("sub|1") == early


async def test_owner_is_member_without_being_listed(database: Database) -> None:
    client_id = new_ulid()
    async with database.service() as connection:
        members = MemberRepository(connection)
        owner = await open_client(connection, client_id, "owner@example.com")
        await connection.execute(client_users.delete())

        assert await members.role(owner, client_id) is Role.OWNER
        assert await members.role(owner, new_ulid()) is None
        assert await members.role(new_ulid(), client_id) is None


async def test_role_is_changed_by_adding_again(database: Database) -> None:
    client_id = new_ulid()
    async with database.service() as connection:
        members = MemberRepository(connection)
        await open_client(connection, client_id, "owner@example.com")
        await members.ensure_user("u", "u@example.com", NOW)
        for role in (Role.VIEWER, Role.ADMIN):
            await members.add(client_id, "u", role, NOW)

    assert (await only_row(database, client_users, user_id="u"))["role"] == "admin"


async def test_owner_can_be_neither_listed_nor_removed(database: Database) -> None:
    client_id = new_ulid()
    async with database.service() as connection:
        members = MemberRepository(connection)
        owner = await open_client(connection, client_id, "owner@example.com")
        with pytest.raises(InvalidInput, match="owner"):
            await members.add(client_id, owner, Role.VIEWER, NOW)
        with pytest.raises(InvalidInput, match="owner"):
            await members.remove(client_id, owner)
        with pytest.raises(InvalidInput, match="no member"):
            await members.remove(client_id, "nobody")
        with pytest.raises(ClientNotFound):
            await members.add(new_ulid(), owner, Role.VIEWER, NOW)


async def test_id_and_address_belong_together(database: Database) -> None:
    async with database.service() as connection:
        members = MemberRepository(connection)
        for _ in range(2):
            await members.ensure_user("sub|1", " One@Example.com", NOW)
        for user_id, email in (("sub|1", "two@example.com"), ("sub|2", "one@example.com")):
            with pytest.raises(InvalidInput, match="another user"):
                await members.ensure_user(user_id, email, NOW)

        assert await members.find_user("ONE@example.com") == "sub|1"
        assert await members.find_user("sub|1") == "sub|1"
        assert await members.find_user("sub|2") is None


async def test_one_users_id_may_be_anothers_address(database: Database) -> None:
    async with database.service() as connection:
        members = MemberRepository(connection)
        await members.ensure_user("one@example.com", "two@example.com", NOW)
        await members.ensure_user("sub|1", "one@example.com", NOW)

        with pytest.raises(InvalidInput, match="address of another"):
            await members.find_user("one@example.com")
        assert await members.find_user("two@example.com") == "one@example.com"
        assert await members.find_user("sub|1") == "sub|1"
        await members.ensure_user("same@example.com", "same@example.com", NOW)
        assert await members.find_user("same@example.com") == "same@example.com"
