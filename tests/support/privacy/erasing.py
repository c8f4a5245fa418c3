"""Erasures as the command requests them, and the remaining data."""

import psycopg
from psycopg import sql

from adapters.seal import FernetSealer
from adapters.system import new_ulid
from adapters.temporal.runs import erased
from domain.intake.customer_email import customer_key
from domain.privacy.contracts import EraseInput
from domain.privacy.erasure import Certificate, session_of, subject_digests
from store.core.database import Database
from store.privacy.certificates import Certificates
from tests.support.core.engine import LiveEngine
from tests.support.core.postgres import as_owner
from tests.support.tenants.shop import Shop


def asked(
    engine: LiveEngine, shop: Shop, customer: str | None = None, *, settle_s: float = 0.1
) -> EraseInput:
    """Request an erasure. `customer` is an address, or a session's subject."""
    key = customer if customer and session_of(customer) else customer_key(customer)
    sealer = FernetSealer(engine.settings.seal.key.get_secret_value())
    return EraseInput(
        erasure_id=new_ulid(),
        client_id=shop.client_id,
        requested_by="tester",
        subject="" if key is None else subject_digests(sealer, shop.client_id, key)[0].hex(),
        sealed_customer="" if key is None else sealer.seal(key),
        settle_s=settle_s,
    )


async def erase(
    engine: LiveEngine, shop: Shop, customer: str | None = None, *, settle_s: float = 0.1
) -> Certificate:
    """Erase a customer or a whole client. A worker must be running."""
    erasure_id = await erased(engine.client, asked(engine, shop, customer, settle_s=settle_s))
    return await certificate_of(engine.database, erasure_id)


async def certificate_of(database: Database, erasure_id: str) -> Certificate:
    async with database.service() as connection:
        return await Certificates(connection).read(erasure_id)


def tables_with(database_url: str, needle: str) -> dict[str, str]:
    """Return the tables with this text in any column of any row, regardless of type and case. The
    value for each table is one such cell."""
    found: dict[str, str] = {}
    with psycopg.connect(as_owner(database_url)) as connection:
        columns = connection.execute(
            "SELECT table_name, column_name, data_type FROM information_schema.columns "
            "WHERE table_schema = 'public'"
        ).fetchall()
        assert len(columns) > 100  # otherwise nothing was examined
        for table, column, kind in columns:
            how = sql.SQL("encode({}, 'escape')" if kind == "bytea" else "{}::text")
            values = connection.execute(
                sql.SQL("SELECT {} FROM {}").format(
                    how.format(sql.Identifier(column)), sql.Identifier(table)
                )
            )
            for (value,) in values:
                if needle.lower() in (value or "").lower():
                    found[table] = f"{column}: {value}"
    return found


def rows_of_all_tables(database_url: str) -> set[tuple[str, str]]:
    """Return every row of every table as text, with its table's name."""
    with psycopg.connect(as_owner(database_url)) as connection:
        tables = connection.execute(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'"
        ).fetchall()
        return {
            (table, row)
            for (table,) in tables
            for (row,) in connection.execute(
                sql.SQL("SELECT t::text FROM {} AS t").format(sql.Identifier(table))
            )
        }


async def histories_with(engine: LiveEngine, needle: str) -> set[str]:
    """Return the ids of workflows whose history contains this text in a payload."""
    found = set()
    async for execution in engine.client.list_workflows(""):
        handle = engine.client.get_workflow_handle(execution.id, run_id=execution.run_id)
        async for event in handle.fetch_history_events():
            if needle.encode() in event.SerializeToString():
                found.add(execution.id)
    return found


async def workflow_ids(engine: LiveEngine) -> set[str]:
    return {execution.id async for execution in engine.client.list_workflows("")}
