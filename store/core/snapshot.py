"""One moment of a client's rows, read piece by piece for as long as a slow reader takes."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Final, cast

import psycopg
from psycopg import sql
from psycopg.rows import scalar_row
from psycopg.types.string import ByteaBinaryLoader

from domain.core.ids import TenantId
from store.core.leash import Leash

PIECE: Final = 256 * 1024

# More than anybody holds a snapshot for.
_AT_MOST: Final = "20min"
# One that nobody reads from keeps PostgreSQL from clearing away what everybody changes.
_UNREAD: Final = "60s"
# libpq holds so many rows at once, whatever they weigh.
_ROWS_HELD: Final = 8


def begin(tenant: TenantId) -> sql.Composed:
    """The statements that open the transaction.

    jit: compiling a query takes longer than the first rows, which somebody waits for. The save
    point is where each section begins, with whatever the one before has left undone.
    """
    return sql.SQL(
        "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY; SET LOCAL app.client_id = {tenant}; "
        f"SET LOCAL statement_timeout = '{_AT_MOST}'; "
        f"SET LOCAL idle_in_transaction_session_timeout = '{_UNREAD}'; "
        "SET LOCAL client_encoding = 'UTF8'; SET LOCAL jit = off; SAVEPOINT beginning"
    ).format(tenant=sql.Literal(tenant))


class Snapshot:
    """Queries in such a transaction; each is SQL of ours that may have the parameter `client_id`.

    PostgreSQL may keep silent for `patience_s` seconds at a time; then the connection is cut, which
    raises psycopg.OperationalError. The time that the reader takes does not count.
    """

    def __init__(
        self,
        connection: "psycopg.AsyncConnection[object]",
        leash: Leash,
        tenant: TenantId,
        *,
        patience_s: float,
    ) -> None:
        self.tenant: Final = tenant
        self._connection = connection
        self._leash = leash
        self._patience_s = patience_s
        self._values = {"client_id": tenant}
        # Rows of one column, json or text, as the bytes that came.
        self._rows = connection.cursor(row_factory=scalar_row)
        for kind in ("json", "text"):
            self._rows.adapters.register_loader(kind, ByteaBinaryLoader)

    async def rewind(self) -> None:
        """Forget a statement that failed, and the cursor; the moment stays the same."""
        self._leash.within(self._patience_s)
        await self._connection.execute("ROLLBACK TO SAVEPOINT beginning", prepare=False)

    async def scalar(self, query: str) -> object:
        """The only value, None if there is no row."""
        self._leash.within(self._patience_s)
        cursor = self._connection.cursor(row_factory=scalar_row)
        await cursor.execute(sql.SQL(query), self._values)
        return await cursor.fetchone()

    async def declare(self, query: str) -> None:
        """Open the cursor that `fetch` reads from. There is one at a time, until `rewind`."""
        self._leash.within(self._patience_s)
        declared = sql.SQL("DECLARE rows NO SCROLL CURSOR FOR {}").format(sql.SQL(query))
        await self._connection.execute(declared, self._values)

    async def fetch(self, number: int) -> AsyncGenerator[list[bytes]]:
        """The next rows, up to so many; all in one list unless they weigh more than a PIECE. To be
        closed before anything else is asked."""
        self._leash.within(self._patience_s)
        query = sql.SQL("FETCH {} FROM rows").format(sql.Literal(number))
        held: list[bytes] = []
        weight = 0
        stream = self._rows.stream(query, binary=True, size=_ROWS_HELD)
        async with aclosing(cast("AsyncGenerator[bytes]", stream)) as rows:
            async for row in rows:
                held.append(row)
                weight += len(row)
                if weight > 2 * PIECE:
                    self._leash.loosen()
                    try:
                        yield held
                    finally:
                        self._leash.within(self._patience_s)
                    held, weight = [], 0
        self._leash.loosen()
        if held:
            yield held
