"""The use cases for keys: owners and admins create and revoke their client's keys."""

from secrets import token_bytes

import pytest
import structlog

from adapters.system import new_ulid
from domain.core.errors import InvalidInput
from domain.core.ids import TenantId
from domain.tenants.actor import Actor
from domain.tenants.api_key import KEY_BYTES, key_material
from domain.tenants.client import Role
from domain.tenants.errors import ClientNotFound, KeyNotFound, RoleRequired
from services.tenants.keys import create_key, revoke_key
from services.tenants.members import leave_client
from store.core.database import Database
from store.tenants.keys import ActiveKey, KeyRepository
from tests.support.core.units import units_on
from tests.support.tenants.joined import join
from tests.support.tenants.shop import Shop, open_shop

ADMIN = Actor.person("sub|1", Role.ADMIN)
RANDOM = bytes(range(KEY_BYTES))


async def found(database: Database, text: str) -> ActiveKey | None:
    material = key_material(text)
    assert material is not None
    async with database.unscoped() as connection:
        return await KeyRepository(connection).find_active(material)


async def test_made_and_revoked(database: Database, shop: Shop) -> None:
    async with database.service() as connection:
        await join(connection, shop.client_id, ADMIN.name, Role.ADMIN)
    with structlog.testing.capture_logs() as lines:
        async with units_on(database).of(shop.tenant) as work:
            made = await create_key(work, ADMIN, " caisse ", RANDOM)
        assert await found(database, made.text) == ActiveKey(made.id, shop.client_id, vouches=False)
        async with units_on(database).of(shop.tenant) as work:
            await revoke_key(work, ADMIN, made.id)

    assert await found(database, made.text) is None
    assert made.text not in repr(made)
    requested, *changes = lines
    assert (requested["event"], requested["place"]) == (
        "loosening requested",
        f"key {made.id}: vouches",
    )
    assert [(line["event"], line["key_id"], line["user_id"]) for line in changes] == [
        ("key created", made.id, "sub|1"),
        ("key revoked", made.id, "sub|1"),
    ]
    assert made.text not in str(lines)


async def test_an_admin_who_left_meanwhile_makes_no_key(database: Database, shop: Shop) -> None:
    """The request was authorized before the admin left: no notice would list the key."""
    gone = Actor.person(new_ulid(), Role.ADMIN)
    async with database.service() as connection:
        await join(connection, shop.client_id, gone.name, Role.ADMIN)
    async with units_on(database).spanning(shop.tenant) as work:
        await leave_client(work, gone)

    async with units_on(database).of(shop.tenant) as work:
        with pytest.raises(RoleRequired):
            await create_key(work, gone, "x", RANDOM)
        await create_key(work, Actor.person("internal", None), "x", token_bytes(KEY_BYTES))


async def test_refused(database: Database, shop: Shop) -> None:
    other = await open_shop(database)
    for actor in (Actor.person(new_ulid(), Role.AGENT), Actor.key(shop.key_id)):
        async with units_on(database).of(shop.tenant) as work:
            for use_case in (
                create_key(work, actor, "x", RANDOM),
                revoke_key(work, actor, shop.key_id),
            ):
                with pytest.raises(RoleRequired):
                    await use_case
    async with units_on(database).of(shop.tenant) as work:
        with pytest.raises(InvalidInput):
            await create_key(work, ADMIN, "  ", RANDOM)
        with pytest.raises(KeyNotFound):
            await revoke_key(work, ADMIN, other.key_id)
    async with units_on(database).of(TenantId("nobody")) as work:
        with pytest.raises(ClientNotFound):
            await create_key(work, ADMIN, "x", RANDOM)
    assert await found(database, shop.key) is not None
    assert await found(database, other.key) is not None
