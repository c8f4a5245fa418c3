"""The export of a client's data as a stream: what is read, in which order, and what may fail.

PostgreSQL renders each record and Python only moves bytes, so memory does not grow with the rows.
"""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Final, Protocol

import psycopg

from domain.exports.export import Section
from domain.tenants.errors import NoClient
from store.core.snapshot import PIECE, Snapshot
from store.exports.sections import SOURCES, Source

# Read before a section is begun, so that its error can still make it an empty one.
_FIRST_ROWS: Final = 4
# Absent, forbidden or changed tables, and values that cannot be rendered.
_OF_ONE_SECTION: Final = ("42", "22")

_IS_OPEN: Final = "SELECT closed_at IS NULL FROM clients WHERE id = %(client_id)s"

Skipped = Callable[[Section, str, Exception], None]
"""Is told of a section that could not be read and is empty in the file, with the SQLSTATE."""


class Rendering(Protocol):
    """A form of the file. `separator` stands between two rows of a section, and `counts` says
    whether its beginning needs their number."""

    @property
    def separator(self) -> bytes: ...

    @property
    def counts(self) -> bool: ...

    def query(self, source: Source) -> str:
        """One column, json or text: a record as it stands in the file, in the source's order."""

    def begin(self, exported_at: str, client_id: str) -> bytes: ...

    def open(self, section: Section, source: Source, count: int | None) -> bytes: ...

    def close(self) -> bytes: ...

    def end(self) -> bytes: ...


class Export:
    """One export, from a snapshot that is its own."""

    def __init__(self, snapshot: Snapshot, rendering: Rendering, *, skipped: Skipped) -> None:
        self._snapshot = snapshot
        self._rendering = rendering
        self._skipped = skipped

    async def pieces(self, exported_at: str) -> AsyncGenerator[bytes]:
        """The file, in pieces of about PIECE bytes; to be closed.

        A section that cannot be opened is empty, and `skipped` is told. Raises NoClient for a
        client that is closed or gone, and psycopg.Error for whatever else PostgreSQL says: what
        has been given till then is no file.
        """
        await self._check_open()
        form = self._rendering
        held = [form.begin(exported_at, self._snapshot.tenant)]
        for section, source in SOURCES.items():
            count, first = await self._begin(section, source)
            held.append(form.open(section, source, count))
            separator = b""
            async with aclosing(self._rows(first)) as batches:
                async for rows in batches:
                    held += (separator, form.separator.join(rows))
                    separator = form.separator
                    if sum(map(len, held)) >= PIECE:
                        yield b"".join(held)
                        held.clear()
            held.append(form.close())
        yield b"".join([*held, form.end()])

    async def _check_open(self) -> None:
        """If the table of clients cannot be read, nobody knows better: then it is open."""
        try:
            is_open = await self._snapshot.scalar(_IS_OPEN)
        except psycopg.Error as error:
            if not _is_of_one_section(error):
                raise
            return
        if not is_open:
            raise NoClient

    async def _begin(self, section: Section, source: Source) -> tuple[int | None, list[bytes]]:
        """How many rows a section has, if its form asks for it, and the first of them."""
        await self._snapshot.rewind()
        count = None
        try:
            if self._rendering.counts:
                found = await self._snapshot.scalar(f"SELECT count(*) FROM {source.source}")  # noqa: S608 - constants
                count = int(str(found))
            await self._snapshot.declare(self._rendering.query(source))
            async with aclosing(self._snapshot.fetch(_FIRST_ROWS)) as batches:
                return count, [row async for rows in batches for row in rows]
        except psycopg.Error as error:
            if not _is_of_one_section(error):
                raise
            self._skipped(section, error.sqlstate or "", error)
            return 0, []

    async def _rows(self, first: list[bytes]) -> AsyncGenerator[list[bytes]]:
        """All rows of the section that was begun; each time as many as make about a PIECE."""
        if first:
            yield first
        number, got, weight = _FIRST_ROWS, len(first), sum(map(len, first))
        while got == number:
            number = max(1, min(2 * number, number * PIECE // max(1, weight)))
            got = weight = 0
            async with aclosing(self._snapshot.fetch(number)) as batches:
                async for rows in batches:
                    got += len(rows)
                    weight += sum(map(len, rows))
                    yield rows


def _is_of_one_section(error: psycopg.Error) -> bool:
    return (error.sqlstate or "").startswith(_OF_ONE_SECTION)
