"""The CSV format of an export. PostgreSQL renders the line of each record. This module renders the
text between the lines.

The format is RFC 4180 with CRLF line endings. Text, times, days and JSON are quoted. Numbers and
booleans are not. Null is an empty cell, and an empty text is "". Two rules add apostrophes, so that
a spreadsheet runs no formula. Removing the added apostrophes restores the text:

1. Before a text that starts with a formula character, a #, an apostrophe, a blank or another
   invisible character. Some programs trim blanks before they interpret a cell.
2. Before text after a line break, a tab or a semicolon that starts with such a character or with
   ##. Spreadsheets with semicolons as separators, as in French, may start a cell there.

Only the first line of a section therefore starts with ##. In JSON cells, rule 2 could apply only
inside strings, where an escape sequence replaces the character. The JSON value does not change.
"""

from typing import Final

from domain.core.csv_cells import BOM, CELL_ENDS, GUARDED, SIGNS, UNSEEN
from domain.exports.export import Section
from store.exports.pieces import ArrayForm, first_elements, in_pieces
from store.exports.section_source import CellKind, Source

_FIRST: Final = ",".join(str(ord(sign)) for sign in sorted(GUARDED))
# All characters that a reader of the file may treat as a line break: those that Python's
# `splitlines` recognizes.
_BREAKS: Final = r"\n\u000b\f\r\u001c-\u001e\u0085\u2028\u2029"
# Characters that a reader may trim at the start of a cell. Line breaks and tabs are excluded,
# because they start another cell.
_BLANKS: Final = "".join(f"\\u{code:04x}" for code in UNSEEN if chr(code) not in CELL_ENDS)
_JSON_BREAKS: Final = r"\u0085\u2028\u2029"


class CsvRendering:
    """The rendering of an export as a CSV file. `store/exports/export.py` uses this class."""

    counts: Final = True
    separator: Final = b""

    def query(self, source: Source) -> str:
        """Return an SQL query for a section of the file, with the parameter `client_id`. Its only
        column holds a record's line, ending with CRLF, or pieces of it."""
        sources, rows = first_elements(source)
        columns = tuple(zip(sources, source.columns, strict=True))
        values = ", ".join(f"{_value(sql, c.kind)} AS c{n}" for n, (sql, c) in enumerate(columns))
        cells = ", ".join(_cell(f"r.c{n}", c.kind) for n, c in enumerate(source.columns))
        more = ", first.is_long, t.client_id, t.id" if source.elements else ""
        # OFFSET 0 makes PostgreSQL compute each value once, even if several cells use it.
        records = (
            f"SELECT {values}, {source.order} AS place{more} FROM {rows} "  # noqa: S608 - constants
            "ORDER BY place OFFSET 0"
        )
        line = f"concat_ws(',', {cells}) || E'\\r\\n'"
        if source.elements is None:
            return f"SELECT {line} FROM ({records}) AS r ORDER BY r.place"  # noqa: S608 - likewise
        lines = (
            f"SELECT {line} AS line, r.is_long, r.client_id, r.id FROM ({records}) AS r "  # noqa: S608 - likewise
            "ORDER BY r.place OFFSET 0"
        )
        return in_pieces(lines, source.elements, _ARRAY)

    def begin(self, exported_at: str, client_id: str) -> bytes:  # noqa: ARG002
        """Return the start of the file: the byte order mark, by which spreadsheets recognize
        UTF-8."""
        return BOM

    def open(self, section: Section, source: Source, count: int | None) -> bytes:
        """Return the line that starts a section, and the line with the names of the section's
        columns. `count` is the number of records in the section."""
        header = ",".join(column.name for column in source.columns)
        return f"## {section} ({count})\r\n{header}\r\n".encode()

    def close(self) -> bytes:
        return b""

    def end(self) -> bytes:
        return b""


def _value(sql: str, kind: CellKind) -> str:
    return f"({sql})::text" if kind is CellKind.JSON else sql


def _cell(value: str, kind: CellKind) -> str:
    """Return the SQL for the text of a cell. The text is never null, because concat_ws would omit
    the comma before a null cell."""
    match kind:
        case CellKind.TEXT:
            cell = _quoted(_guarded_inside(value))
            cell = f"CASE WHEN ascii({value}) IN ({_FIRST}) THEN '\"''' ELSE '\"' END || {cell}"
        case CellKind.JSON:
            cell = f"'\"' || {_quoted(_escaped_inside(value))}"
        case CellKind.TIME | CellKind.DAY:
            # Times and days have the same text as in the JSON format, including the quotes.
            cell = f"to_json({value})::text"
        case CellKind.NUMBER | CellKind.BOOLEAN:
            cell = f"{value}::text"
    return f"coalesce({cell}, '')"


def _guarded_inside(value: str) -> str:
    """Return the SQL that applies rule 2 to a value. Most values contain no line break, tab or
    semicolon, and are not rewritten."""
    return (
        f"CASE WHEN {value} ~ '[{_BREAKS};\t]' "
        f"THEN regexp_replace({value}, '{_INSIDE}', '{_APOSTROPHE}', 'g') ELSE {value} END"
    )


_INSIDE: Final = rf"([{_BREAKS};\t])(''*[{_BLANKS}]*(?:##|[{SIGNS}]))"
_APOSTROPHE: Final = r"\1''\2"


def _escaped_inside(value: str) -> str:
    """Return the SQL that escapes a JSON value according to rule 2. Each replacement runs only if
    the value contains `##` or a semicolon, because scanning large values is expensive."""
    escaped = rf"regexp_replace({value}, ';([{_BLANKS}]*[{SIGNS}])', '\\u003b\1', 'g')"
    breaks = rf"regexp_replace({escaped}, '([{_JSON_BREAKS}])##', '\1\u0023#', 'g')"
    return (
        f"CASE WHEN strpos({value}, '##') > 0 THEN {breaks} "
        f"WHEN strpos({value}, ';') > 0 THEN {escaped} ELSE {value} END"
    )


def _quoted(value: str) -> str:
    """Return the SQL for the rest of a quoted cell: the text after the opening quote, and the
    closing quote."""
    return f"{_doubled(value)} || '\"'"


def _doubled(value: str) -> str:
    return f"replace({value}, '\"', '\"\"')"


_ARRAY: Final = ArrayForm(
    comma="', '", element=_doubled(_escaped_inside("more.element")), end="E']\"\\r\\n'"
)
