"""Cells in CSV files that users open in spreadsheets (RFC 4180).

Text is quoted, numbers are not, and null is empty. An apostrophe precedes text that a spreadsheet
might run as a formula. It also precedes such text after a semicolon, line break or tab, where some
programs split cells.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from typing import Final

from domain.core.json_time import rfc3339

Cell = str | int | float | date | datetime | None

BOM: Final = b"\xef\xbb\xbf"
"""The byte order mark, which spreadsheets need to detect UTF-8."""

UNSEEN: Final = (
    *range(0x01, 0x21),
    *range(0x7F, 0xA1),
    0xAD,
    0x061C,
    0x1680,
    0x180E,
    *range(0x2000, 0x2010),
    *range(0x2028, 0x2030),
    *range(0x205F, 0x2070),
    0x3000,
    0xFEFF,
)
"""Code points of control characters, blanks and invisible marks."""
GUARDED: Final = frozenset("#'+-=@＃＇＋－＝＠") | frozenset(map(chr, UNSEEN))
"""Characters before which an apostrophe is inserted into a text. They are the formula signs, # and
', the full-width forms of all these, and the characters that a program may trim before a
formula."""
SIGNS: Final = "＋＝＠－=+@-"
CELL_ENDS: Final = frozenset("\t\n\v\f\r\x1c\x1d\x1e\x85\u2028\u2029")
"""Characters that some programs treat as the end of a line or cell."""

_BLANKS: Final = "".join(chr(code) for code in UNSEEN if chr(code) not in CELL_ENDS)
_INSIDE: Final = re.compile(
    f"([;{''.join(sorted(CELL_ENDS))}])('*[{re.escape(_BLANKS)}]*(?:##|[{re.escape(SIGNS)}]))"
)


def csv_file(header: Sequence[str], rows: Iterable[Sequence[Cell]]) -> bytes:
    """Return a whole CSV file: the byte order mark, the header, and a line for each row."""
    lines = [",".join(header), *(",".join(map(csv_cell, row)) for row in rows)]
    return BOM + "".join(f"{line}\r\n" for line in lines).encode()


def csv_cell(value: Cell) -> str:
    """Return a value as a CSV cell, quoted and protected from being interpreted as a formula."""
    match value:
        case None:
            return ""
        case str():
            text = _INSIDE.sub(r"\1'\2", value).replace('"', '""')
            return f'"{_apostrophe(value)}{text}"'
        case datetime():
            return f'"{rfc3339(value, "auto")}"'
        case date():
            return f'"{value.isoformat()}"'
        case _:
            return repr(value)


def _apostrophe(text: str) -> str:
    return "'" if text[:1] in GUARDED and text else ""
