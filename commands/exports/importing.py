"""import: a command that imports an export into an empty client."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, BinaryIO

import typer
from rich.table import Table

from commands.core.context import (
    DEFAULT_DATA,
    DataOption,
    JsonOption,
    answer,
    out,
    synchronous,
    warn,
    work_on,
)
from commands.core.person import operator
from commands.core.progress import Bar, progress
from domain.core.errors import InvalidInput
from domain.core.ids import TenantId, parse_ulid
from services.exports.tenant_import import Imported, import_export


@dataclass(frozen=True, slots=True)
class Watched:
    """A file that reports to `bar` how many bytes have been read from it."""

    stream: BinaryIO
    bar: Bar

    def read(self, size: int = -1, /) -> bytes:
        data = self.stream.read(size)
        self.bar.advance(len(data))
        return data

    def readline(self, limit: int = -1, /) -> bytes:
        line = self.stream.readline(limit)
        self.bar.advance(len(line))
        return line


@contextmanager
def opened(file: Path) -> Iterator[tuple[BinaryIO, int | None]]:
    """Yield the file, or standard input for `-`, and its size in bytes, or None for a pipe. Raises
    InvalidInput."""
    if str(file) == "-":
        yield sys.stdin.buffer, None
        return
    try:
        stream = file.open("rb")
    except OSError as error:
        raise InvalidInput(f"{file}: {(error.strerror or 'cannot be read').lower()}") from None
    with stream:
        yield stream, file.stat().st_size or None


@synchronous
async def bring_in(
    file: Annotated[Path, typer.Argument(help="Export file in JSON format; - for standard input.")],
    client: Annotated[
        str, typer.Option(help=("Id of the client to import into. The client must be empty."))
    ],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Check the file without importing it.")
    ] = False,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Import an export into an empty client. Either all records are imported or none. See
    docs/export.md."""
    tenant = TenantId(parse_ulid(client) or client)
    with opened(file) as (stream, size):
        async with work_on(data) as units:
            with progress("Importing", size) as bar:
                done = await import_export(
                    units, operator(), tenant, Watched(stream, bar), dry_run=dry_run
                )
    warnings = list(_warnings(done))
    for warning in warnings:
        warn(warning)
    if as_json:
        facts = done.model_dump(mode="json")
        answer(True, "", client_id=tenant, **facts, warnings=warnings, dry_run=dry_run)
        return
    table = Table("section", "records", box=None, padding=(0, 2, 0, 0))
    for section, number in done.records.items():
        table.add_row(section, str(number))
    out.print(table)
    ids = "All records have new ids." if done.renamed else "All records have kept their ids."
    out.print(
        ("Nothing was imported, because this was a dry run.") if dry_run else f"Imported. {ids}"
    )


def _warnings(done: Imported) -> Iterator[str]:
    if done.renamed:
        yield "this installation may already use these ids, so the records have new ids"
    if done.closed.runs:
        yield f"{done.closed.runs} runs were in progress and are now marked as failed"
    if done.closed.reviews:
        yield f"{done.closed.reviews} reviews were open and have expired"
    if done.closed.integrations:
        yield f"{done.closed.integrations} integrations have no credentials: connect them again"
    if done.widget_key_left:
        yield "the widget key was not imported: create one with settings rotate-widget-key"
