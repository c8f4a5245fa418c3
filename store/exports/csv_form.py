"""The CSV form of an export: PostgreSQL writes each record's line, here is only what goes between.

RFC 4180: CRLF ends a line; text, times, days and JSON are quoted, numbers and booleans bare; null
is an empty cell without quotes, an empty text is "". Two rules protect who opens the file, both
undone by taking one apostrophe away in each place that has one:

1. A text that begins with a sign spreadsheets take for a formula's, a blank or other invisible
   character (some programs trim them first), a # or an apostrophe gets an apostrophe in front.
2. Inside a text, what comes after a line break, a tab or a semicolon and begins with such a sign or
   with ##, or with apostrophes, blanks or invisible characters and one of these, gets one in front.
   A spreadsheet whose separator is the semicolon, as in French, loses count of the quotes and
   begins a cell at each of these.

So only a section's line begins with ##, whether a reader knows quotes or takes line by line. A JSON
cell begins with a bracket, a quote, a word or a number, and its line breaks and tabs are escaped;
what rule 2 would guard in it stands in a string, where the character after the break, or the
semicolon itself, is written as an escape: equal JSON.
"""

from typing import Final

from domain.core.csv_cells import BOM, CELL_ENDS, GUARDED, SIGNS, UNSEEN
from domain.exports.export import Section
from store.exports.pieces import ArrayForm, first_elements, in_pieces
from store.exports.section_source import CellKind, Source

_FIRST: Final = ",".join(str(ord(sign)) for sign in sorted(GUARDED))
# What some reader ends a line at: all that Python's splitlines does.
_BREAKS: Final = r"\n\u000b\f\r\u001c-\u001e\u0085\u2028\u2029"
# What a reader may trim at a cell's beginning. After a break or a tab another cell begins.
_BLANKS: Final = "".join(f"\\u{code:04x}" for code in UNSEEN if chr(code) not in CELL_ENDS)
_JSON_BREAKS: Final = r"\u0085\u2028\u2029"


class CsvRendering:
    """How the rows of an export become a CSV file; `store/exports/export.py` calls it."""

    counts: Final = True
    separator: Final = b""

    def query(self, source: Source) -> str:
        """One column: a record's line with its CRLF, or that in pieces. The parameter is
        `client_id`."""
        sources, rows = first_elements(source)
        columns = tuple(zip(sources, source.columns, strict=True))
        values = ", ".join(f"{_value(sql, c.kind)} AS c{n}" for n, (sql, c) in enumerate(columns))
        cells = ", ".join(_cell(f"r.c{n}", c.kind) for n, c in enumerate(source.columns))
        more = ", first.is_long, t.client_id, t.id" if source.elements else ""
        # The fence, OFFSET 0, has each value computed once, however often a cell names it.
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
        """What a file begins with: the mark by which spreadsheets know UTF-8."""
        return BOM

    def open(self, section: Section, source: Source, count: int | None) -> bytes:
        """A section's line and its header; `count`: of the rows that follow."""
        header = ",".join(column.name for column in source.columns)
        return f"## {section} ({count})\r\n{header}\r\n".encode()

    def close(self) -> bytes:
        return b""

    def end(self) -> bytes:
        return b""


def _value(sql: str, kind: CellKind) -> str:
    return f"({sql})::text" if kind is CellKind.JSON else sql


def _cell(value: str, kind: CellKind) -> str:
    """SQL of a cell's text, never null: what concat_ws leaves out, it leaves no comma for."""
    match kind:
        case CellKind.TEXT:
            cell = _quoted(_guarded_inside(value))
            cell = f"CASE WHEN ascii({value}) IN ({_FIRST}) THEN '\"''' ELSE '\"' END || {cell}"
        case CellKind.JSON:
            cell = f"'\"' || {_quoted(_escaped_inside(value))}"
        case CellKind.TIME | CellKind.DAY:
            # As in the JSON, where they stand in quotes too.
            cell = f"to_json({value})::text"
        case CellKind.NUMBER | CellKind.BOOLEAN:
            cell = f"{value}::text"
    return f"coalesce({cell}, '')"


def _guarded_inside(value: str) -> str:
    """The pattern is looked for only where there is what may come before it: few values have it."""
    return (
        f"CASE WHEN {value} ~ '[{_BREAKS};\t]' "
        f"THEN regexp_replace({value}, '{_INSIDE}', '{_APOSTROPHE}', 'g') ELSE {value} END"
    )


_INSIDE: Final = rf"([{_BREAKS};\t])(''*[{_BLANKS}]*(?:##|[{SIGNS}]))"
_APOSTROPHE: Final = r"\1''\2"


def _escaped_inside(value: str) -> str:
    """Large, and read as seldom as can be: each replacement only where its mark is."""
    escaped = rf"regexp_replace({value}, ';([{_BLANKS}]*[{SIGNS}])', '\\u003b\1', 'g')"
    breaks = rf"regexp_replace({escaped}, '([{_JSON_BREAKS}])##', '\1\u0023#', 'g')"
    return (
        f"CASE WHEN strpos({value}, '##') > 0 THEN {breaks} "
        f"WHEN strpos({value}, ';') > 0 THEN {escaped} ELSE {value} END"
    )


def _quoted(value: str) -> str:
    """What follows the opening quote."""
    return f"{_doubled(value)} || '\"'"


def _doubled(value: str) -> str:
    return f"replace({value}, '\"', '\"\"')"


_ARRAY: Final = ArrayForm(
    comma="', '", element=_doubled(_escaped_inside("more.element")), end="E']\"\\r\\n'"
)
