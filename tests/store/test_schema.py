"""The schema: migrations and tables agree, and no row can point into another tenant."""

import pytest
import sqlalchemy as sa
from alembic import command
from sqlalchemy.exc import IntegrityError

from adapters.system import new_ulid, utc_now
from store.database import Database
from store.migrate import alembic_config, migrate
from store.tables import engine_events, engine_messages, metadata
from tests.support.postgres import PostgresServer, as_owner
from tests.support.shop import open_shop

# Rows of these belong to no client, or are the client.
NO_TENANT = {"users", "clients", "error_reports", "rate_windows"}


def test_migrations_make_what_the_tables_say(database_url: str) -> None:
    """Raises if autogenerate would find anything to change."""
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
