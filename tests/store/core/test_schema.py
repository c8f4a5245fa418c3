"""The schema: migrations and tables match, and no row can refer to another tenant."""

import asyncio
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
from domain.tenants.client_settings import SettingsChange
from store.core.database import APP_ROLE, SERVICE_ROLE, Database
from store.core.migrate import alembic_config, migrate
from store.intake.tables import engine_events
from store.integrations.tables import integrations
from store.metadata import metadata
from store.runs.tables import ai_conversations, customer_memories, engine_messages
from store.tenants.client_settings import SettingsRepository
from tests.support.core.postgres import PostgresServer, as_owner
from tests.support.core.rows import only_row, rows
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


async def test_a_rollback_keeps_the_connections_of_later_providers(
    postgres: PostgresServer,
) -> None:
    """The schema before 3c51d7a9e0b2 had a check on the provider, and has it again."""
    with postgres.database() as url:
        database = Database(url)
        shop = await open_shop(database)
        add = sa.insert(integrations).values(
            client_id=shop.client_id, status="connected", sealed="SEALED", connected_at=utc_now()
        )
        async with database.tenant(shop.tenant) as connection:
            await connection.execute(add.values(id=new_ulid(), provider="woocommerce"))
        await asyncio.to_thread(command.downgrade, alembic_config(as_owner(url)), "fa5b03de268c")

        async with database.tenant(shop.tenant) as connection:
            assert list(await connection.scalars(sa.select(integrations.c.provider))) == [
                "woocommerce"
            ]
        with pytest.raises(IntegrityError):
            async with database.tenant(shop.tenant) as connection:
                await connection.execute(add.values(id=new_ulid(), provider="prestashop"))
        await asyncio.to_thread(migrate, as_owner(url))
        async with database.tenant(shop.tenant) as connection:
            await connection.execute(add.values(id=new_ulid(), provider="prestashop"))
        await database.close()


async def test_what_an_address_was_remembered_by_goes_on(postgres: PostgresServer) -> None:
    """Before 7d20c1b4ae95, each address had one permanent conversation, which was its memory."""
    with postgres.database() as url:
        database = Database(url)
        shop = await open_shop(database)
        await asyncio.to_thread(command.downgrade, alembic_config(as_owner(url)), "3c51d7a9e0b2")
        async with database.tenant(shop.tenant) as connection:
            for key in ("email:ann@b.example", "session:s"):
                await connection.execute(
                    sa.text("""
                        INSERT INTO ai_conversations
                            (client_id, id, key, channel, summary, created_at, last_message_at)
                        VALUES (:client_id, :id, :key, 'api', 'a line', :now, :now)"""),
                    {"client_id": shop.client_id, "id": new_ulid(), "key": key, "now": utc_now()},
                )

        await asyncio.to_thread(migrate, as_owner(url))

        memory = await only_row(database, customer_memories)
        assert (memory["key"], memory["summary"]) == ("email:ann@b.example", "a line")
        found = {row["key"]: row["memory_key"] for row in await rows(database, ai_conversations)}
        assert found == {"email:ann@b.example": "email:ann@b.example", "session:s": None}
        await database.close()


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


async def test_accounts_of_before_keep_answers_from_knowledge_as_drafts(
    postgres: PostgresServer,
) -> None:
    """For a new account, they are sent."""
    with postgres.database() as url:
        database = Database(url)
        before = await open_shop(database)
        await asyncio.to_thread(command.downgrade, alembic_config(as_owner(url)), "7d1f40a6c2b8")
        await asyncio.to_thread(migrate, as_owner(url))
        after = await open_shop(database)

        for shop, sent in ((before, False), (after, True)):
            async with database.reading(shop.tenant) as connection:
                settings = await SettingsRepository(connection, shop.tenant).read()
            assert settings.answers_from_knowledge is sent
        await database.close()


async def test_accounts_of_before_keep_their_decision_about_answers(
    postgres: PostgresServer,
) -> None:
    """A new account has the latest version, and an account without settings gets a row."""
    with postgres.database() as url:
        database = Database(url)
        with_row, without_row = await open_shop(database), await open_shop(database)
        async with database.tenant(with_row.tenant) as connection:
            change = SettingsChange(answers_from_knowledge=False)
            await SettingsRepository(connection, with_row.tenant).change(change, utc_now())
        await asyncio.to_thread(command.downgrade, alembic_config(as_owner(url)), "d2f61a8c40e7")
        await asyncio.to_thread(migrate, as_owner(url))
        after = await open_shop(database)

        for shop, sent, decision in (
            (with_row, False, 1),
            (without_row, True, 1),
            (after, True, 2),
        ):
            async with database.reading(shop.tenant) as connection:
                settings = await SettingsRepository(connection, shop.tenant).read()
            assert (settings.answers_from_knowledge, settings.answer_decision) == (sent, decision)
        await database.close()
