"""Stream the export of a client's data, section by section.

PostgreSQL renders each record and Python only copies bytes, so memory use does not grow with the
number of rows.
"""

from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing
from typing import Final, Protocol

import psycopg

from domain.exports.export import Section
from domain.tenants.errors import NoClient
from store.core.snapshot import PIECE, Snapshot
from store.exports.section_source import Source
from store.exports.sections import SOURCES

_FIRST_ROWS: Final = 4
# The number of bytes of a section that are buffered before any are yielded. If an error occurs
# within these bytes, the section can still be left empty.
_SPOOL: Final = 4 * PIECE
# SQLSTATE classes for missing, forbidden or changed tables, and for values that PostgreSQL cannot
# render.
_OF_ONE_SECTION: Final = ("42", "22")

_IS_OPEN: Final = "SELECT closed_at IS NULL FROM clients WHERE id = %(client_id)s"

Skipped = Callable[[Section, str, Exception], None]
"""A callback for a section that could not be read and is left empty in the file. The arguments are
the section, the SQLSTATE and the error."""


class Rendering(Protocol):
    """A file format for exports. `separator` precedes each record of a section except the first.
    `counts` puts the number of records into a section's header."""

    @property
    def separator(self) -> bytes: ...

    @property
    def counts(self) -> bool: ...

    def query(self, source: Source) -> str:
        """Return an SQL query with one text column: the rendered records of a section, in the order
        of the source. Each record starts with its separator and is rendered in one or more rows."""

    def begin(self, exported_at: str, client_id: str) -> bytes: ...

    def open(self, section: Section, source: Source, count: int | None) -> bytes: ...

    def close(self) -> bytes: ...

    def end(self) -> bytes: ...


class Export:
    """One export of a client's data, read from its own snapshot."""

    def __init__(self, snapshot: Snapshot, rendering: Rendering, *, skipped: Skipped) -> None:
        self._snapshot = snapshot
        self._rendering = rendering
        self._skipped = skipped

    async def pieces(self, exported_at: str) -> AsyncGenerator[bytes]:
        """Yield the file in pieces of about PIECE bytes. Close the generator after use.

        If a section fails before its first bytes, it stays empty and `skipped` is called. Raises
        NoClient for a closed or missing client, and psycopg.Error. The bytes before an error are
        not a valid file.
        """
        await self._check_open()
        form = self._rendering
        held = [form.begin(exported_at, self._snapshot.tenant)]
        for section, source in SOURCES.items():
            before, spool = len(held), _SPOOL
            try:
                async with aclosing(self._section(section, source)) as parts:
                    async for part in parts:
                        held.append(part)
                        if sum(map(len, held[before:])) >= spool:
                            for piece in _whole_pieces(held):
                                yield piece
                            before = spool = 0
            except psycopg.Error as error:
                if not (spool and _is_of_one_section(error)):
                    raise
                self._skipped(section, error.sqlstate or "", error)
                held[before:] = [form.open(section, source, 0), form.close()]
            for piece in _whole_pieces(held):
                yield piece
        yield b"".join([*held, form.end()])

    async def _check_open(self) -> None:
        """Raise NoClient unless the client is open. If the clients table cannot be read, treat the
        client as open."""
        try:
            is_open = await self._snapshot.scalar(_IS_OPEN)
        except psycopg.Error as error:
            if not _is_of_one_section(error):
                raise
            return
        if not is_open:
            raise NoClient

    async def _section(self, section: Section, source: Source) -> AsyncGenerator[bytes]:
        """Yield the start of a section, its records in batches of about PIECE bytes, and the end of
        the section."""
        form = self._rendering
        await self._snapshot.rewind()
        count = None
        if form.counts:
            found = await self._snapshot.scalar(f"SELECT count(*) FROM {source.source}")  # noqa: S608 - constants
            count = int(str(found))
        await self._snapshot.declare(form.query(source))
        yield form.open(section, source, count)
        separator = form.separator
        number = got = _FIRST_ROWS
        while got == number:
            got = weight = 0
            async with aclosing(self._snapshot.fetch(number)) as batches:
                async for rows in batches:
                    got += len(rows)
                    part = b"".join(rows)
                    weight += len(part)
                    yield part.removeprefix(separator)
                    separator = b""
            if got == number:
                number = got = max(1, min(2 * number, number * PIECE // max(1, weight)))
        yield form.close()


def _whole_pieces(held: list[bytes]) -> Iterator[bytes]:
    """Remove parts from `held`, and yield them joined into pieces of at least PIECE bytes. A
    smaller remainder stays in `held`."""
    begin = weight = 0
    for end, part in enumerate(list(held), start=1):
        weight += len(part)
        if weight >= PIECE:
            yield b"".join(held[begin:end])
            begin, weight = end, 0
    del held[:begin]


def _is_of_one_section(error: psycopg.Error) -> bool:
    return (error.sqlstate or "").startswith(_OF_ONE_SECTION)
