"""A consistent snapshot of a client's rows, read in pieces as fast as the reader accepts them."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Final, cast

import psycopg
from psycopg import sql
from psycopg.rows import scalar_row
from psycopg.types.string import ByteaBinaryLoader

from domain.core.ids import TenantId
from store.core.socket_deadline import SocketDeadline

PIECE: Final = 256 * 1024

# The statement timeout. It exceeds the longest time that any caller keeps a snapshot open.
_AT_MOST: Final = "20min"
# The idle timeout. Without it, an abandoned snapshot would prevent PostgreSQL from vacuuming any
# client's dead rows.
_UNREAD: Final = "60s"
# The number of rows that libpq buffers at a time, regardless of their size.
_ROWS_HELD: Final = 8


def begin(tenant: TenantId) -> sql.Composed:
    """Return the statements that open a snapshot's transaction.

    JIT is off because compiling a query takes longer than reading its first rows. Each section of
    an export rolls back to the final savepoint, which undoes the previous section.
    """
    return sql.SQL(
        "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY; SET LOCAL app.client_id = {tenant}; "
        f"SET LOCAL statement_timeout = '{_AT_MOST}'; "
        f"SET LOCAL idle_in_transaction_session_timeout = '{_UNREAD}'; "
        "SET LOCAL client_encoding = 'UTF8'; SET LOCAL jit = off; SAVEPOINT beginning"
    ).format(tenant=sql.Literal(tenant))


class Snapshot:
    """A transaction that reads a consistent snapshot of a client's rows. Queries are constant SQL
    with the parameter `client_id`.

    If PostgreSQL does not respond for `patience_s` seconds, the connection is shut down, and
    psycopg.OperationalError is raised. The reader's own time between queries does not count.
    """

    def __init__(
        self,
        connection: "psycopg.AsyncConnection[object]",
        socket_deadline: SocketDeadline,
        tenant: TenantId,
        *,
        patience_s: float,
    ) -> None:
        self.tenant: Final = tenant
        self._connection = connection
        self._socket_deadline = socket_deadline
        self._patience_s = patience_s
        self._values = {"client_id": tenant}
        # For rows with a single json or text column, this cursor yields the bytes exactly as
        # received.
        self._rows = connection.cursor(row_factory=scalar_row)
        for kind in ("json", "text"):
            self._rows.adapters.register_loader(kind, ByteaBinaryLoader)

    async def rewind(self) -> None:
        """Undo a failed statement, and close the cursor that `declare` opened. The snapshot still
        shows the same data."""
        self._socket_deadline.within(self._patience_s)
        await self._connection.execute("ROLLBACK TO SAVEPOINT beginning", prepare=False)

    async def scalar(self, query: str) -> object:
        """Return the single value that the query selects, or None if there is no row."""
        self._socket_deadline.within(self._patience_s)
        cursor = self._connection.cursor(row_factory=scalar_row)
        await cursor.execute(sql.SQL(query), self._values)
        return await cursor.fetchone()

    async def declare(self, query: str) -> None:
        """Open the cursor from which `fetch` reads. Only one cursor can be open until `rewind` is
        called."""
        self._socket_deadline.within(self._patience_s)
        declared = sql.SQL("DECLARE rows NO SCROLL CURSOR FOR {}").format(sql.SQL(query))
        await self._connection.execute(declared, self._values)

    async def fetch(self, number: int) -> AsyncGenerator[list[bytes]]:
        """Yield up to `number` of the cursor's next rows, in one list unless they exceed twice
        `PIECE`. Close the generator before another query."""
        self._socket_deadline.within(self._patience_s)
        query = sql.SQL("FETCH {} FROM rows").format(sql.Literal(number))
        held: list[bytes] = []
        weight = 0
        stream = self._rows.stream(query, binary=True, size=_ROWS_HELD)
        async with aclosing(cast("AsyncGenerator[bytes]", stream)) as rows:
            async for row in rows:
                held.append(row)
                weight += len(row)
                if weight > 2 * PIECE:
                    self._socket_deadline.loosen()
                    try:
                        yield held
                    finally:
                        self._socket_deadline.within(self._patience_s)
                    held, weight = [], 0
        self._socket_deadline.loosen()
        if held:
            yield held
