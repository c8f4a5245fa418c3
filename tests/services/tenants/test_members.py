"""The use cases for members."""

import pytest
import structlog

from adapters.system import new_ulid
from domain.core.errors import InvalidInput
from domain.tenants.actor import Actor
from domain.tenants.client import Role
from domain.tenants.errors import RoleRequired
from services.identity.invitations import invite
from services.tenants.members import acting_as, add_member, change_role, remove_member
from store.core.database import Database
from store.tenants.members import MemberRepository
from tests.support.core.units import units_on
from tests.support.tenants.joined import join
from tests.support.tenants.shop import Shop

OPERATOR = Actor.operator("operator:test")
MAIL = f"{new_ulid()}@example.com"


async def role_of(database: Database, shop: Shop, user_id: str) -> Role | None:
    async with database.reading_across() as connection:
        return await MemberRepository(connection).role(user_id, shop.client_id)


async def an_admin(database: Database, shop: Shop) -> Actor:
    """Return an admin of the client."""
    user_id = f"sub|{new_ulid()}"
    async with database.service() as connection:
        await join(connection, shop.client_id, user_id, Role.ADMIN)
    return Actor.person(user_id, Role.ADMIN)


async def test_added_changed_and_removed(database: Database, shop: Shop) -> None:
    admin = await an_admin(database, shop)
    with structlog.testing.capture_logs() as lines:
        async with units_on(database).spanning(shop.tenant) as work:
            user_id = await add_member(work, admin, MAIL, Role.AGENT)
        assert await role_of(database, shop, user_id) is Role.AGENT
        async with units_on(database).spanning(shop.tenant) as work:
            assert await add_member(work, admin, user_id, Role.VIEWER) == user_id
        assert await role_of(database, shop, user_id) is Role.VIEWER
        async with units_on(database).spanning(shop.tenant) as work:
            assert await remove_member(work, admin, MAIL.upper()) == user_id
        assert await role_of(database, shop, user_id) is None

    assert [(line["event"], line["member_id"], line["user_id"]) for line in lines] == [
        ("member added", user_id, admin.name),
        ("member added", user_id, admin.name),
        ("member removed", user_id, admin.name),
    ]
    assert MAIL not in str(lines)


async def test_refused(database: Database, shop: Shop) -> None:
    for actor in (Actor.person(new_ulid(), Role.AGENT), Actor.key(shop.key_id)):
        async with units_on(database).spanning(shop.tenant) as work:
            for use_case in (
                add_member(work, actor, MAIL, Role.VIEWER),
                remove_member(work, actor, shop.owner_user_id),
            ):
                with pytest.raises(RoleRequired):
                    await use_case
    async with units_on(database).spanning(shop.tenant) as work:
        with pytest.raises(InvalidInput, match="one owner"):
            await add_member(work, await an_admin(database, shop), MAIL, Role.OWNER)


@pytest.mark.parametrize("left", [Role.AGENT, None])
async def test_a_former_admin(database: Database, shop: Shop, left: Role | None) -> None:
    """Attack: the request was authorized a moment before the owner demoted or removed the admin."""
    admin = await an_admin(database, shop)
    async with database.service() as connection:
        members = MemberRepository(connection)
        if left is None:
            await members.remove(shop.client_id, admin.name)
        else:
            await members.change_role(shop.client_id, admin.name, left)
    async with units_on(database).spanning(shop.tenant) as work:
        for use_case in (
            add_member(work, admin, MAIL, Role.VIEWER),
            change_role(work, admin, admin.name, Role.ADMIN),
            remove_member(work, admin, shop.owner_user_id),
        ):
            with pytest.raises(RoleRequired):
                await use_case
    async with units_on(database).of(shop.tenant) as work:
        with pytest.raises(RoleRequired):
            await invite(work, admin, MAIL, Role.ADMIN, language="fr")
    assert await role_of(database, shop, admin.name) is left


async def test_an_operator_in_somebodys_name(database: Database, shop: Shop) -> None:
    """An existing user's address means that user: nobody counts as two people."""
    async with units_on(database).spanning(shop.tenant) as work:
        user_id = await add_member(work, OPERATOR, MAIL, Role.AGENT)
        named = [await acting_as(work, OPERATOR, who) for who in (None, MAIL, user_id, "alice")]
        with pytest.raises(InvalidInput, match="visible"):
            await acting_as(work, OPERATOR, "a\nb")

    by = OPERATOR.name
    in_somebodys_name = [Actor.operator(one, login=by) for one in (user_id, user_id, "alice")]
    assert named == [OPERATOR, *in_somebodys_name]
