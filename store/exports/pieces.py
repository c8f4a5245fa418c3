"""SQL that renders a record with an unbounded array in several rows.

In a single row, a conversation with all its messages could exceed PostgreSQL's limit of 1 GiB per
value. The first row contains the first elements, usually all of them, and each further element has
its own row.
"""

from dataclasses import dataclass
from typing import Final

from store.exports.section_source import Elements, Source

TOGETHER: Final = 50
"""The maximum number of array elements in the first row of a record."""


@dataclass(frozen=True, slots=True)
class ArrayForm:
    """The notation of arrays in a file format, as SQL expressions. `comma` is between two elements.
    `element` renders one from its JSON text. `end` follows the last."""

    comma: str
    element: str
    end: str


def first_elements(source: Source) -> tuple[tuple[str, ...], str]:
    """Return the SQL for the columns of the source, and the FROM clause.

    An array's column contains at most TOGETHER elements. `first.is_long` is true if there may be
    more.
    """
    elements = source.elements
    values = tuple(column.sql for column in source.columns)
    if elements is None:
        return values, source.source
    some = (
        f"SELECT {elements.sql} AS element FROM {elements.source} "  # noqa: S608 - constants
        f"ORDER BY {elements.order} LIMIT {TOGETHER}"
    )
    rows = (
        f"(SELECT * FROM {source.source}) AS t CROSS JOIN LATERAL ("  # noqa: S608 - constants
        "SELECT coalesce(json_agg(first_rows.element), '[]'::json) AS elements, "
        f"count(*) = {TOGETHER} AS is_long FROM ({some}) AS first_rows) AS first"
    )
    return (*values[:-1], "first.elements"), rows


def in_pieces(records: str, elements: Elements, form: ArrayForm) -> str:
    """Return the SQL for all rows of the records. `records` is a query for each record's `line` and
    `is_long`, and for the columns of `t` that `elements` uses."""
    more = (
        f"SELECT {elements.sql}::text AS element FROM {elements.source} AND t.is_long "  # noqa: S608 - constants
        f"ORDER BY {elements.order} OFFSET {TOGETHER}"
    )
    line = f"CASE WHEN t.is_long THEN left(t.line, -length({form.end})) ELSE t.line END AS line"
    pieces = (
        f"SELECT {line} "  # noqa: S608 - constants
        f"UNION ALL (SELECT {form.comma} || {form.element} FROM ({more}) AS more) "
        f"UNION ALL SELECT {form.end} WHERE t.is_long"
    )
    return f"SELECT piece.line FROM ({records}) AS t CROSS JOIN LATERAL ({pieces}) AS piece"  # noqa: S608 - constants
