"""A consistent snapshot of a client's rows, read in pieces for as long as a slow reader takes."""

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

# Longer than any caller holds a snapshot.
_AT_MOST: Final = "20min"
# A snapshot without a reader keeps PostgreSQL from vacuuming rows that all clients change.
_UNREAD: Final = "60s"
# libpq holds this many rows at a time, regardless of their size.
_ROWS_HELD: Final = 8


def begin(tenant: TenantId) -> sql.Composed:
    """Return the statements that open the transaction.

    JIT is off: compiling a query takes longer than the first rows, for which a caller waits. Each
    section starts at the savepoint, which undoes what the previous section left.
    """
    return sql.SQL(
        "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY; SET LOCAL app.client_id = {tenant}; "
        f"SET LOCAL statement_timeout = '{_AT_MOST}'; "
        f"SET LOCAL idle_in_transaction_session_timeout = '{_UNREAD}'; "
        "SET LOCAL client_encoding = 'UTF8'; SET LOCAL jit = off; SAVEPOINT beginning"
    ).format(tenant=sql.Literal(tenant))


class Snapshot:
    """Queries in a snapshot's transaction; each is constant SQL that may use the parameter
    `client_id`.

    PostgreSQL may be silent for `patience_s` seconds at a time; then the connection is cut, which
    raises psycopg.OperationalError. The reader's own time does not count.
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
        # Rows with one column, json or text, as the received bytes.
        self._rows = connection.cursor(row_factory=scalar_row)
        for kind in ("json", "text"):
            self._rows.adapters.register_loader(kind, ByteaBinaryLoader)

    async def rewind(self) -> None:
        """Roll back a failed statement and the cursor; the snapshot stays the same."""
        self._leash.within(self._patience_s)
        await self._connection.execute("ROLLBACK TO SAVEPOINT beginning", prepare=False)

    async def scalar(self, query: str) -> object:
        """Return the only value, or None if there is no row."""
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
        """Yield up to `number` further rows, in one list unless they are larger than a PIECE. Close
        the generator before any other query."""
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
