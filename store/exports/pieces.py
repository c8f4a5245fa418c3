"""Records whose last column is an unbounded array. Long ones are rendered in several rows.

Otherwise PostgreSQL would build one text per conversation, however many messages it has, and a
value is limited to 1 GiB. A record's own row holds the first elements, which are nearly always all.
Only if there are more are they read, one row each.
"""

from dataclasses import dataclass
from typing import Final

from store.exports.section_source import Elements, Source

TOGETHER: Final = 50
"""The maximum number of elements in the record's own row."""


@dataclass(frozen=True, slots=True)
class ArrayForm:
    """The notation of an array in a file format. `element`: returns the SQL that renders one
    element, given the SQL of its JSON. `end`: the SQL of the text after a record's last element."""

    comma: str
    element: str
    end: str


def first_elements(source: Source) -> tuple[tuple[str, ...], str]:
    """Return the SQL of the columns, and the FROM clause. The last column holds at most TOGETHER
    elements; `first.is_long` is true if there may be more elements."""
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
        "SELECT coalesce(json_agg(begun.element), '[]'::json) AS elements, "
        f"count(*) = {TOGETHER} AS is_long FROM ({some}) AS begun) AS first"
    )
    return (*values[:-1], "first.elements"), rows


def in_pieces(records: str, elements: Elements, form: ArrayForm) -> str:
    """Return the SQL of all rows. `records`: a query whose columns are each record's `line`,
    `is_long`, and those columns of `t` that `elements` uses."""
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
