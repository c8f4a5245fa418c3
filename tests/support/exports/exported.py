"""Exports as files, created from `SOURCES`, and clients to import them into."""

import io
import json
from typing import Any

import sqlalchemy as sa

from adapters.system import new_ulid, utc_now
from domain.core.ids import TenantId
from domain.exports.export import Section, exported_at
from domain.tenants.actor import Actor
from domain.tenants.client import Plan
from services.exports.tenant_import import Imported, import_export
from store.core.database import Database
from store.exports.sections import SOURCES
from store.metadata import metadata
from store.tenants.clients import ClientRepository
from tests.support.core.units import units_on

_COME_WITH_A_CLIENT = {"client_users", "playbooks", "playbook_versions"}

Document = dict[str, Any]


async def exported(database: Database, client_id: str) -> str:
    """Return a client's export, written by PostgreSQL."""
    lines = []
    async with database.tenant(TenantId(client_id)) as connection:
        for section in Section:
            source = SOURCES[section]
            columns = ", ".join(f'{one.sql} AS "{one.name}"' for one in source.columns)
            rows = await connection.exec_driver_sql(
                f"SELECT row_to_json(x)::text FROM (SELECT {columns} FROM {source.source} "  # noqa: S608
                f"ORDER BY {source.order}) AS x",
                {"client_id": client_id},
            )
            records = ",\n".join(rows.scalars())
            lines.append(f'"{section}": [\n{records}\n]')
    head = f'"exported_at": "{exported_at(utc_now())}",\n"client_id": "{client_id}"'
    return "{\n" + ",\n".join([head, *lines]) + "\n}\n"


async def document(database: Database, client_id: str) -> Document:
    """Return the parsed export without values that differ between any two exports, such as the
    audit log. Attachments and the client's plan are not imported, so they are left out."""
    read: Document = json.loads(await exported(database, client_id))
    read["audit_entries"], read["attachments"] = [], []
    read["client"] = [{"brand_name": one["brand_name"]} for one in read["client"]]
    del read["exported_at"], read["client_id"]
    return read


async def empty_client(database: Database, client_id: str | None = None) -> TenantId:
    """Create a new client without playbooks."""
    made = client_id or new_ulid()
    async with database.service() as connection:
        await ClientRepository(connection).create(
            client_id=made,
            user_id=new_ulid(),
            brand="Neu",
            plan=Plan.FREE,
            owner_email=f"{new_ulid().lower()}@example.com",
            now=utc_now(),
        )
    return TenantId(made)


async def row_count(database: Database, tenant: TenantId) -> int:
    """Return how many rows a client has, except for itself, its owner and playbooks."""
    tables = [
        table
        for table in metadata.tables.values()
        if "client_id" in table.c and table.name not in _COME_WITH_A_CLIENT
    ]
    async with database.service() as connection:
        counts = [
            await connection.scalar(
                sa.select(sa.func.count()).select_from(table).where(table.c.client_id == tenant)
            )
            for table in tables
        ]
    return sum(map(int, filter(None, counts)))


async def bring(
    database: Database, tenant: TenantId, text: str, *, dry_run: bool = False
) -> Imported:
    return await import_export(
        units_on(database),
        Actor.operator("operator"),
        tenant,
        io.BytesIO(text.encode()),
        dry_run=dry_run,
    )
