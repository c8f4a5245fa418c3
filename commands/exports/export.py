"""export: a command that writes all of a client's stored data to one file."""

import os
import sys
from collections.abc import Iterator
from contextlib import aclosing, contextmanager
from pathlib import Path
from typing import Annotated, BinaryIO, Final

import typer

from adapters.system import utc_now
from commands.core.context import (
    DEFAULT_DATA,
    ClientOption,
    DataOption,
    fail,
    synchronous,
    work_on,
)
from commands.core.person import operator
from commands.core.progress import Bar, progress
from domain.core.errors import InvalidInput
from domain.core.ids import TenantId, parse_ulid
from domain.exports.export import ExportFormat, Section, exported_at
from services.exports.downloads import record_export
from store.core.snapshot import Snapshot
from store.exports.csv_form import CsvRendering
from store.exports.export import Export, Rendering, Skipped
from store.exports.json_form import JsonRendering
from store.tenants.clients import ClientRepository

_FORMS: Final[dict[ExportFormat, Rendering]] = {
    ExportFormat.JSON: JsonRendering(),
    ExportFormat.CSV: CsvRendering(),
}


@synchronous
async def export(
    client: ClientOption,
    form: Annotated[ExportFormat, typer.Option("--format")] = ExportFormat.JSON,
    file: Annotated[
        Path | None, typer.Option("--out", help="File to write; defaults to standard output.")
    ] = None,
    data: DataOption = DEFAULT_DATA,
) -> None:
    """Export all of a client's records to a file. The client can download an identical file. See
    docs/export.md.

    If a section cannot be read, the file contains the section without records. The error message
    names the section, and the exit code is 1. The file appears only when it is complete, and
    replaces an existing file.
    """
    tenant = TenantId(parse_ulid(client) or client)
    skipped: list[str] = []

    def skip(section: Section, sqlstate: str, _: Exception) -> None:
        skipped.append(f"{section} (SQLSTATE {sqlstate})")

    async with work_on(data) as units:
        async with units.database.reading_across() as connection:
            await ClientRepository(connection).brand_name(tenant)
        with _written(file) as out, progress("Exporting", None) as bar:
            # The entry is written first because a command has only one connection.
            await record_export(units, tenant, operator(), form)
            async with units.database.snapshot(tenant) as snapshot:
                await _write(snapshot, _FORMS[form], skip, out, bar)
    if skipped:
        raise fail(f"empty, because they could not be read: {', '.join(skipped)}")


async def _write(
    snapshot: Snapshot, form: Rendering, skipped: Skipped, out: BinaryIO, bar: Bar
) -> None:
    pieces = Export(snapshot, form, skipped=skipped).pieces(exported_at(utc_now()))
    async with aclosing(pieces):
        async for piece in pieces:
            out.write(piece)
            bar.advance(len(piece))
    out.flush()


@contextmanager
def _written(file: Path | None) -> Iterator[BinaryIO]:
    """Yield the file to write, readable only by the current user, or standard output for None and
    `-`. Raises InvalidInput."""
    if file is None or str(file) == "-":
        yield sys.stdout.buffer
        return
    partial = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as out:
                yield out
            partial.replace(file)
        finally:
            partial.unlink(missing_ok=True)
    except OSError as error:
        raise InvalidInput(f"{file}: {(error.strerror or 'cannot be written').lower()}") from None
