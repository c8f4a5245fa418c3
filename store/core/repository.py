"""What the repositories of clients' records have in common."""

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.errors import DomainError
from domain.core.ids import TenantId
from store.core.database import WhoseRecord


class TenantRepository:
    """Works on a transaction that its caller opened, and on the rows of that client alone."""

    def __init__(self, connection: AsyncConnection, tenant: TenantId) -> None:
        self._connection = connection
        self._tenant = tenant

    async def _one(
        self, query: sa.Executable, values: Mapping[str, object], missing: DomainError
    ) -> "sa.Row[*tuple[Any, ...]]":
        """The row that the query finds. Raises `missing` where there is none."""
        row = (await self._connection.execute(query, values)).one_or_none()
        if row is None:
            raise missing
        return row


def some_of(table: sa.Table, limit: int, *which: sa.ColumnElement[bool]) -> sa.ColumnElement[bool]:
    """That a row is one of a batch: at most `limit` of those that are meant."""
    key = table.primary_key.columns
    return sa.tuple_(*key).in_(sa.select(*key).where(*which).limit(limit))


def owner_of(table: sa.Table, missing: type[DomainError]) -> WhoseRecord:
    """Finds whose a record of the table is by its id alone. Raises `missing` where there is none.

    For operators, and for people who are signed in: it looks through all clients.
    """

    async def find(connection: AsyncConnection, record_id: str) -> TenantId:
        client_id = await connection.scalar(
            sa.select(table.c.client_id).where(table.c.id == record_id)
        )
        if client_id is None:
            raise missing(record_id)
        return TenantId(client_id)

    return find
