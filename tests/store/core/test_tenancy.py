"""Row-level security: what the application role can read and write in PostgreSQL, for every
table."""

from typing import Any

import psycopg
import pytest
import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from domain.core.ids import TenantId
from domain.tenants.api_key import key_material
from store.core.database import APP_ROLE, SERVICE_ROLE, Database
from store.metadata import metadata
from store.playbooks.tables import playbooks
from store.tenants.tables import clients
from tests.support.core.postgres import as_owner
from tests.support.tenants.full_tenant import SERVICE_ONLY, fill_every_table
from tests.support.tenants.shop import Shop, open_shop

TENANT_TABLES = sorted(set(metadata.tables) - SERVICE_ONLY)
APPEND_ONLY = {"audit_entries", "audit_heads", "audit_anchors"}
INSUFFICIENT_PRIVILEGE = "42501"


@pytest.fixture(scope="module")
async def neighbours(shared_database: Database) -> tuple[Shop, Shop]:
    """Two clients with rows in every table. No test changes them: changes are rejected, or find no
    rows."""
    mine, theirs = await open_shop(shared_database), await open_shop(shared_database)
    for one in (mine, theirs):
        await fill_every_table(shared_database, one)
    return mine, theirs


def _owner_column(table: sa.Table) -> "sa.Column[Any]":
    return table.c.id if table is clients else table.c.client_id


async def test_no_role_of_the_service_is_above_the_wall(database: Database) -> None:
    async with database.unscoped() as connection:
        me = (await connection.execute(sa.text("SELECT current_user, session_user"))).one()
        roles = (
            await connection.execute(
                sa.text(
                    "SELECT rolname, rolsuper, rolbypassrls, rolcreaterole, rolcreatedb "
                    "FROM pg_roles WHERE rolname IN (:app, :service)"
                ),
                {"app": APP_ROLE, "service": SERVICE_ROLE},
            )
        ).all()

    assert tuple(me) == (APP_ROLE, APP_ROLE)
    assert {role.rolname for role in roles} == {APP_ROLE, SERVICE_ROLE}
    for role in roles:
        assert tuple(role)[1:] == (False, False, False, False)


async def test_a_superusers_url_gives_no_superuser(database_url: str) -> None:
    """Whatever the login, a connection of ours uses the application role."""
    database = Database(as_owner(database_url))
    try:
        async with database.unscoped() as connection:
            assert await connection.scalar(sa.text("SELECT current_user")) == APP_ROLE
    finally:
        await database.close()


async def test_what_looks_over_the_wall_runs_as_the_service(database_url: str) -> None:
    """Run as the migration's owner, it would be a superuser, or see no rows at all."""
    with psycopg.connect(as_owner(database_url)) as connection:
        owners: dict[str, str] = dict(
            connection.execute(
                "SELECT proname, pg_get_userbyid(proowner) FROM pg_proc "
                "WHERE prosecdef AND pronamespace = 'public'::regnamespace"
            ).fetchall()
        )

    assert {
        "active_key",
        "add_model_spending",
        "inbound_endpoint",
        "integrations_of_account",
    } <= set(owners)
    assert set(owners.values()) == {SERVICE_ROLE}


@pytest.mark.parametrize("name", sorted(metadata.tables))
async def test_the_wall_stands_on_every_table(database_url: str, name: str) -> None:
    with psycopg.connect(as_owner(database_url)) as connection:
        row = connection.execute(
            "SELECT relrowsecurity, relforcerowsecurity, pg_get_userbyid(relowner) "
            "FROM pg_class WHERE oid = %s::regclass",
            [name],
        ).fetchone()
        policies = connection.execute(
            "SELECT policyname FROM pg_policies WHERE tablename = %s", [name]
        ).fetchall()

    assert row is not None
    assert row[:2] == (True, True)
    assert row[2] not in {APP_ROLE, SERVICE_ROLE}
    expected = {"service"} if name in SERVICE_ONLY else {"service", "tenant"}
    assert {policy for (policy,) in policies} == expected


@pytest.mark.parametrize("name", TENANT_TABLES)
async def test_another_tenants_rows_cannot_be_seen_or_written(
    database: Database, neighbours: tuple[Shop, Shop], name: str
) -> None:
    """With one row of each client in every table, each client sees exactly its own."""
    table = metadata.tables[name]
    shop, other = neighbours
    column = _owner_column(table)

    async with database.tenant(shop.tenant) as connection:
        seen = set((await connection.scalars(sa.select(column))).all())
    touch = sa.update(table).where(column == other.client_id).values({column: column})
    delete = sa.delete(table).where(column == other.client_id)

    assert seen == {shop.client_id}
    for change in (touch, delete):
        assert await _changed(database, shop.tenant, name, change) == 0
    async with database.service() as connection:
        theirs = (
            await connection.execute(sa.select(table).where(column == other.client_id).limit(1))
        ).one()
    await _refused_to_insert(database, shop.tenant, table, dict(theirs._mapping))
    await _refused_to_give_away(database, shop, table, other)


async def _changed(
    database: Database, tenant: TenantId, name: str, change: sa.Update | sa.Delete
) -> int:
    """Return how many rows the change affects. Rows of some tables cannot be changed."""
    try:
        async with database.tenant(tenant) as connection:
            return (await connection.execute(change)).rowcount
    except DBAPIError as refused:
        sqlstate = getattr(refused.orig, "sqlstate", None)
        if sqlstate != INSUFFICIENT_PRIVILEGE or name not in APPEND_ONLY:
            raise
        return 0


async def _refused_to_insert(
    database: Database, tenant: TenantId, table: sa.Table, row: dict[str, Any]
) -> None:
    """Insert a copy of another client's row: row-level security rejects it before a unique key
    could reveal that it exists."""
    values = {c.name: row[c.name] for c in table.columns if c.computed is None}
    with pytest.raises(DBAPIError) as refused:
        async with database.tenant(tenant) as connection:
            await connection.execute(sa.insert(table).values(values))
    assert getattr(refused.value.orig, "sqlstate", None) == INSUFFICIENT_PRIVILEGE


async def _refused_to_give_away(
    database: Database, shop: Shop, table: sa.Table, other: Shop
) -> None:
    with pytest.raises(DBAPIError) as refused:
        async with database.tenant(shop.tenant) as connection:
            await connection.execute(
                sa.update(table).values({_owner_column(table): other.client_id})
            )
    assert getattr(refused.value.orig, "sqlstate", None) == INSUFFICIENT_PRIVILEGE


@pytest.mark.usefixtures("neighbours")
@pytest.mark.parametrize("name", sorted(metadata.tables))
async def test_without_a_tenant_there_is_nothing(database: Database, name: str) -> None:
    table = metadata.tables[name]

    async with database.unscoped() as connection:
        if name in SERVICE_ONLY:
            with pytest.raises(DBAPIError) as refused:
                await connection.scalar(sa.select(sa.func.count()).select_from(table))
            assert getattr(refused.value.orig, "sqlstate", None) == INSUFFICIENT_PRIVILEGE
        else:
            assert await connection.scalar(sa.select(sa.func.count()).select_from(table)) == 0


async def test_a_connection_forgets_its_tenant(database_url: str) -> None:
    """The next transaction on the same connection sees nothing of the previous client."""
    database = Database(database_url, pool_size=1)
    try:
        shop = await open_shop(database)
        for transaction in (database.tenant(shop.tenant), database.service()):
            async with transaction as connection:
                assert await connection.scalar(sa.select(sa.func.count()).select_from(playbooks))
            async with database.unscoped() as connection:
                assert not await connection.scalar(
                    sa.select(sa.func.count()).select_from(playbooks)
                )
                assert await connection.scalar(sa.text("SELECT current_user")) == APP_ROLE
    finally:
        await database.close()


@pytest.mark.parametrize("name", ["", "'", "x'; RESET ROLE; --", "\\", "%s", ":x", "é😀"])
async def test_a_tenants_name_is_data(database: Database, shop: Shop, name: str) -> None:
    async with database.tenant(TenantId(name)) as connection:
        assert await connection.scalar(sa.select(sa.func.count()).select_from(clients)) == 0
        setting = sa.text("SELECT current_setting('app.client_id'), current_user")
        assert tuple((await connection.execute(setting)).one()) == (name, APP_ROLE)


async def test_who_holds_a_key_is_all_that_is_told_without_a_tenant(
    database: Database, shop: Shop
) -> None:
    material = key_material(shop.key)
    assert material is not None
    ask = sa.text("SELECT * FROM active_key(:digest)")

    async with database.unscoped() as connection:
        found = (await connection.execute(ask, {"digest": material.digest})).all()
        nobody = (await connection.execute(ask, {"digest": b"\0" * 32})).all()

    assert [tuple(row) for row in found] == [(shop.key_id, shop.client_id, None, True)]
    assert nobody == []


async def test_the_next_table_is_not_forgotten(database_url: str) -> None:
    """These tests cover every table in the schema, except Alembic's."""
    with psycopg.connect(as_owner(database_url)) as connection:
        names = {
            name
            for (name,) in connection.execute(
                "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
            )
        }

    assert names - {"alembic_version"} == set(metadata.tables)
