"""The schema: migrations and tables match, and no row can refer to another tenant."""

import inspect
import pkgutil
from importlib import import_module

import psycopg
import pytest
import sqlalchemy as sa
from alembic import command
from sqlalchemy import make_url
from sqlalchemy.exc import IntegrityError

import store
from adapters.system import new_ulid, utc_now
from store.core.database import APP_ROLE, SERVICE_ROLE, Database
from store.core.migrate import alembic_config, migrate
from store.intake.tables import engine_events
from store.metadata import metadata
from store.runs.tables import engine_messages
from tests.support.core.postgres import PostgresServer, as_owner
from tests.support.intake.admission import admit_event
from tests.support.tenants.full_tenant import NO_TENANT
from tests.support.tenants.shop import open_shop

pytestmark = pytest.mark.own_database


def test_migrations_make_what_the_tables_say(database_url: str) -> None:
    """Fails if autogenerate would find a difference."""
    command.check(alembic_config(as_owner(database_url)))


def test_migrating_again_changes_nothing(database_url: str) -> None:
    migrate(as_owner(database_url))
    command.check(alembic_config(as_owner(database_url)))


def test_schema_can_be_taken_down_and_built_again(postgres: PostgresServer) -> None:
    with postgres.database() as url:
        owner_url = as_owner(url)
        command.downgrade(alembic_config(owner_url), "base")
        migrate(owner_url)
        command.check(alembic_config(owner_url))


@pytest.mark.parametrize("name", sorted(set(metadata.tables) - NO_TENANT))
def test_tenant_tables_are_keyed_by_client(name: str) -> None:
    table = metadata.tables[name]

    assert next(iter(table.primary_key.columns)).name == "client_id"
    for constraint in table.foreign_key_constraints:
        if constraint.referred_table.name not in NO_TENANT:
            assert "client_id" in constraint.column_keys


def _looked_up_by_id() -> dict[str, sa.Table]:
    """Return the tables that `owner_of` searches, by name."""
    found: dict[str, sa.Table] = {}
    for module in pkgutil.walk_packages(store.__path__, "store."):
        for _, function in inspect.getmembers(import_module(module.name), inspect.isfunction):
            if function.__qualname__ == "owner_of.<locals>.find":
                table: sa.Table = inspect.getclosurevars(function).nonlocals["table"]
                found[table.name] = table
    return found


@pytest.mark.parametrize("name", sorted(_looked_up_by_id()))
def test_a_lookup_by_id_alone_has_its_index(name: str) -> None:
    """Otherwise, each lookup of a random id reads a complete index."""
    table = _looked_up_by_id()[name]
    assert any(
        next(iter(index.columns), None) is table.c.id
        and index.dialect_options["postgresql"]["where"] is None
        for index in table.indexes
    )


def test_lookups_by_id_alone_are_found() -> None:
    assert {"engine_runs", "inbound_webhooks", "attachments"} <= set(_looked_up_by_id())


async def test_a_row_cannot_point_into_another_tenant(database: Database) -> None:
    mine, theirs = await open_shop(database), await open_shop(database)
    event_id = new_ulid()
    async with database.service() as connection:
        await connection.execute(
            sa.insert(engine_events).values(
                client_id=theirs.client_id,
                id=event_id,
                event_type="x",
                outcome="run",
                received_at=utc_now(),
            )
        )

    message = sa.insert(engine_messages).values(
        client_id=mine.client_id,
        id=new_ulid(),
        event_id=event_id,
        direction="inbound",
        author="customer",
        body="",
        created_at=utc_now(),
    )
    with pytest.raises(IntegrityError):
        async with database.service() as connection:
            await connection.execute(message)


async def test_an_owner_without_special_rights_migrates(postgres: PostgresServer) -> None:
    """As in docker-compose.yml: the owner is not a superuser and cannot create roles."""
    with postgres.database() as url, psycopg.connect(as_owner(url), autocommit=True) as connection:
        connection.execute("DROP ROLE IF EXISTS plain_owner")
        connection.execute("CREATE ROLE plain_owner LOGIN")
        connection.execute(
            f"GRANT {APP_ROLE}, {SERVICE_ROLE} TO plain_owner WITH INHERIT FALSE, SET TRUE"
        )
        try:
            connection.execute("CREATE DATABASE plainly_owned OWNER plain_owner")
            plain = make_url(url).set(database="plainly_owned")
            with psycopg.connect(
                make_url(as_owner(url))
                .set(drivername="postgresql", database="plainly_owned")
                .render_as_string(hide_password=False)
            ) as prepared:
                prepared.execute("CREATE EXTENSION vector")
            migrate(plain.set(username="plain_owner").render_as_string(hide_password=False))
            database = Database(plain.render_as_string(hide_password=False))
            shop = await open_shop(database)
            assert (await admit_event(database, shop)).ref.client_id == shop.client_id
            await database.close()
        finally:
            connection.execute("DROP DATABASE IF EXISTS plainly_owned WITH (FORCE)")
            connection.execute("DROP ROLE plain_owner")
