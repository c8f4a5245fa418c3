"""The CSV form of an export. Helpers write it, parse it as a third party would, and open it in
LibreOffice."""

import csv
import io
import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import openpyxl
import psycopg
from openpyxl.cell.cell import Cell
from openpyxl.utils.escape import unescape
from psycopg import sql
from psycopg.types.json import Jsonb
from sqlalchemy import make_url

from domain.exports.export import Section
from store.exports.csv_form import CsvRendering
from store.exports.sections import SOURCES

BREAKS = "\n\v\f\r\x1c-\x1e\x85\u2028\u2029"
# Characters that some readers trim at the start of a cell.
BLANKS = (
    "\x01-\x08\x0e-\x1b\x1f \x7f-\x84\x86-\xa0\xad\u061c\u1680\u180e\u2000-\u200f\u202a-\u202f"
    "\u205f-\u206f\u3000\ufeff"
)
# Texts that break CSV files, in the order of `plant`.
AWKWARD = (
    '=HYPERLINK("http://attacker.example";"click")',
    "## engine_runs (5)\r\nid,event_id",
    "@SUM(1+1)*cmd|' /C calc'!A0;=1+1;'=2+2",
    "first\n## engine_runs (5)\n\u2028## client (1)\n=3+3\t+4+4",
    "-1+1",
    '\'already, "quoted"',
)
# A cell, strictly as in RFC 4180. It is quoted or unquoted, and ends with a comma or the end of the
# line.
_CELL = re.compile(r'(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)')
_SECTION = re.compile(r"## (\w+) \((\d+)\)")


def unguard(cell: str) -> str:
    """Return the original text of a TEXT cell."""
    inside = f"([{BREAKS};\t])'('*[{BLANKS}]*(?:##|[=+@＋＝＠－-]))"
    return re.sub(inside, r"\1\2", cell.removeprefix("'"))


@dataclass(frozen=True)
class Part:
    """A parsed section. An empty unquoted cell is None."""

    name: str
    count: int
    header: tuple[str, ...]
    rows: tuple[tuple[str | None, ...], ...]


def strict_rows(text: str) -> list[tuple[str | None, ...]]:
    """Return the rows of a CSV text, and fail if it violates RFC 4180."""
    rows: list[tuple[str | None, ...]] = []
    row: list[str | None] = []
    place = 0
    while place < len(text):
        found = _CELL.match(text, place)
        assert found, f"no CSV cell: {text[place : place + 80]!r}"
        quoted, bare, end = found.groups()
        row.append(quoted.replace('""', '"') if quoted is not None else bare or None)
        if end == "\r\n":
            rows.append(tuple(row))
            row = []
        place = found.end()
    assert not row, "the last line has no end"
    return rows


def parts(file: bytes) -> list[Part]:
    """Return the sections of a file. Our strict parser and Python's csv module must agree."""
    assert file.startswith(b"\xef\xbb\xbf")
    text = file[3:].decode()
    assert text.startswith("#")
    rows = strict_rows(text)
    assert [[cell or "" for cell in row] for row in rows] == list(
        csv.reader(io.StringIO(text, newline=""), strict=True)
    )
    return list(_split(rows))


def _split(rows: list[tuple[str | None, ...]]) -> Iterable[Part]:
    starts = [n for n, row in enumerate(rows) if (row[0] or "").startswith("#")]
    for start, end in zip(starts, [*starts[1:], len(rows)], strict=True):
        head = _SECTION.fullmatch(rows[start][0] or "")
        assert head, rows[start]
        header = tuple(name or "" for name in rows[start + 1])
        yield Part(head[1], int(head[2]), header, tuple(rows[start + 2 : end]))


def section_lines(text: str) -> list[str]:
    """Return the section lines as a user without a CSV parser would find them."""
    return [line for line in text.splitlines() if line.startswith("##")]


def owner_connection(url: str) -> "psycopg.Connection[Any]":
    """Connect as the tables' owner, who can write rows that the service would not."""
    connection = psycopg.connect(make_url(url).set(drivername="postgresql").render_as_string(False))
    connection.execute("SET timezone = 'UTC'")
    connection.execute("SET session_replication_role = replica")
    connection.commit()
    return connection


def plant(
    connection: "psycopg.Connection[Any]",
    client_id: str,
    texts: Sequence[str],
    payload: object,
    score: float | None,
    moment: datetime,
) -> None:
    """Insert rows of three sections with these texts. At least six texts are required."""
    connection.execute(
        "INSERT INTO ai_conversations (client_id, id, key, channel, customer_email, summary,"
        " sentiment, created_at, last_message_at) VALUES (%s, '1', %s, %s, %s, %s, %s, %s, %s)",
        (client_id, *texts[1:5], score, moment, moment),
    )
    connection.execute(
        "INSERT INTO automation_events (client_id, id, event_type, source, status, payload,"
        " created_at) VALUES (%s, '1', %s, %s, %s, %s, %s)",
        (client_id, *texts[0:3], Jsonb(payload), moment),
    )
    connection.execute(
        "INSERT INTO churn_predictions (client_id, id, customer_email, week, score, level, factors,"
        " created_at) VALUES (%s, '1', %s, %s, 0.5, 'low', %s, %s)",
        (client_id, texts[5], moment, Jsonb(payload), moment),
    )


def written(
    connection: "psycopg.Connection[Any]", client_id: str, sections: Iterable[Section] = Section
) -> bytes:
    """Return the file, from the rendering and consecutive cursors."""
    rendering, whose = CsvRendering(), {"client_id": client_id}
    file = rendering.begin("", client_id)
    for section in sections:
        source = SOURCES[section]
        query = f"SELECT count(*) FROM {source.source}"  # noqa: S608 - of constants
        count = connection.execute(sql.SQL(query), whose).fetchone()
        assert count
        file += rendering.open(section, source, count[0])
        lines = connection.execute(sql.SQL(rendering.query(source)), whose)
        file += rendering.separator.join(line[0].encode() for line in lines)
        file += rendering.close()
    return file + rendering.end()


def records(
    connection: "psycopg.Connection[Any]", client_id: str, section: Section
) -> list[dict[str, Any]]:
    """Return the section's records as the JSON export contains them."""
    source = SOURCES[section]
    columns = ", ".join(f"{column.sql} AS {column.name}" for column in source.columns)
    query = (
        f"SELECT row_to_json(r) FROM (SELECT {columns} FROM {source.source}"  # noqa: S608 - likewise
        f" ORDER BY {source.order}) AS r"
    )
    found = connection.execute(sql.SQL(query), {"client_id": client_id})
    return [row[0] for row in found]


def soffice() -> str | None:
    """Return the program, or None if LibreOffice is not installed."""
    return shutil.which("soffice")


def opened(file: bytes, *, text_quoted: bool, separator: str = ",") -> list[list[Cell]]:
    """Return the cells of a CSV file as LibreOffice shows them. `text_quoted` imports quoted cells
    as text, not as numbers, dates or formulas."""
    program = soffice()
    assert program
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        (folder / "export.csv").write_bytes(file)
        # The options are: separator, quote, UTF-8, first line, English, quoted cells as text,
        # special numbers.
        options = f"{ord(separator)},34,76,1,,1033,{str(text_quoted).lower()},true"
        with subprocess.Popen(
            [
                program,
                f"-env:UserInstallation={(folder / 'profile').as_uri()}",
                "--headless",
                "--norestore",
                f"--infilter=CSV:{options}",
                "--convert-to",
                "xlsx",
                "--outdir",
                name,
                str(folder / "export.csv"),
            ],
            env={"HOME": name, "PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        ) as process:
            try:
                said, _ = process.communicate(timeout=120)
            finally:
                _end_group(process.pid)
        made = folder / "export.xlsx"
        assert made.exists(), said.decode(errors="replace")
        sheets = openpyxl.load_workbook(made).worksheets
        assert len(sheets) == 1
        return [list(row) for row in sheets[0].iter_rows()]


def _end_group(group: int) -> None:
    """soffice is a script, and the program is its child process."""
    with suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)


def shown(cell: Cell) -> str | None:
    """Return a cell's text in the spreadsheet, without the file format's escapes."""
    return None if cell.value is None else unescape(str(cell.value))
