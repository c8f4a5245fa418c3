"""The base class of repositories for client-owned records."""

from collections.abc import Mapping
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.errors import DomainError
from domain.core.ids import TenantId
from store.core.database import WhoseRecord


class TenantRepository:
    """A repository that works in the caller's transaction and accesses only the rows of one
    client."""

    def __init__(self, connection: AsyncConnection, tenant: TenantId) -> None:
        self._connection = connection
        self._tenant = tenant

    async def _one(
        self, query: sa.Executable, values: Mapping[str, object], missing: DomainError
    ) -> "sa.Row[*tuple[Any, ...]]":
        """Return the only row of a query. Raises the error `missing` if there is no row."""
        row = (await self._connection.execute(query, values)).one_or_none()
        if row is None:
            raise missing
        return row


COMPOUNDS: Final = "<_-"
"""Characters at which PostgreSQL's text search parser tries tags and compound words. Repeated, they
make it examine a text again for each of them: 20,000 characters take 3 s."""


def without_compounds(text: str) -> str:
    """Return a text for `to_tsvector`, with spaces in place of `COMPOUNDS`."""
    return text.translate(dict.fromkeys(map(ord, COMPOUNDS), " "))


def some_of(table: sa.Table, limit: int, *which: sa.ColumnElement[bool]) -> sa.ColumnElement[bool]:
    """Return a condition that matches at most `limit` of the rows that satisfy `which`."""
    key = table.primary_key.columns
    return sa.tuple_(*key).in_(sa.select(*key).where(*which).limit(limit))


def owner_of(table: sa.Table, missing: type[DomainError]) -> WhoseRecord:
    """Return a function that looks up the client of a record by the record's id. It raises
    `missing` without such a record.

    It searches all clients, so only code for operators and signed-in users may call it.
    """

    async def find(connection: AsyncConnection, record_id: str) -> TenantId:
        client_id = await connection.scalar(
            sa.select(table.c.client_id).where(table.c.id == record_id)
        )
        if client_id is None:
            raise missing(record_id)
        return TenantId(client_id)

    return find
