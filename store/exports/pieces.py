"""Records whose last column is an array without a bound: one that is long leaves in several rows.

PostgreSQL would else make one text of a conversation, however many messages it has, and no value
may be larger than 1 GiB. The first elements are in the record's own row, as nearly always all are.
Those after them are read only where there are more, and each is a row.
"""

from dataclasses import dataclass
from typing import Final

from store.exports.section_source import Elements, Source

TOGETHER: Final = 50
"""Elements in the record's own row."""


@dataclass(frozen=True, slots=True)
class ArrayForm:
    """How a form of the file writes an array: `element` is SQL of one, by the SQL of its JSON, and
    `end` what ends a record behind its last element."""

    comma: str
    element: str
    end: str


def first_elements(source: Source) -> tuple[tuple[str, ...], str]:
    """SQL of the columns, and what stands after FROM: the last column holds at most TOGETHER
    elements, and `first.is_long` says whether there may be more."""
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
    """SQL of all rows. `records`: a query whose columns are each record's `line`, `is_long`, and
    what `elements` asks of a `t`."""
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
