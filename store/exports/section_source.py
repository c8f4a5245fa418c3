"""The source of an export's section: the kinds of its cells, and SQL for each."""

from dataclasses import dataclass
from enum import Enum, auto
from functools import partial
from typing import Final

from domain.exports.export import Section


class CellKind(Enum):
    """The kind of a cell's value. A spreadsheet may take only TEXT for a formula."""

    TEXT = auto()
    NUMBER = auto()
    BOOLEAN = auto()
    TIME = auto()
    DAY = auto()
    JSON = auto()


@dataclass(frozen=True, slots=True)
class Column:
    """`sql`: SQL of one value, in a query on the section's `source`."""

    name: str
    kind: CellKind
    sql: str


@dataclass(frozen=True, slots=True)
class Elements:
    """The unbounded list in the last column of a record: a JSON array that is rendered in pieces
    (`store/exports/pieces.py`).

    `sql`: one element, as JSON. `source`: the FROM clause of the elements of the record `t`.
    """

    sql: str
    source: str
    order: str

    @property
    def all(self) -> str:
        """Return SQL of the whole array."""
        return (
            f"(SELECT coalesce(json_agg({self.sql} ORDER BY {self.order}), '[]'::json) "  # noqa: S608 - constants
            f"FROM {self.source})"
        )


@dataclass(frozen=True, slots=True)
class Source:
    """`source`: the FROM clause; rows of the client with the id `%(client_id)s`. `elements`: the
    last column's list if it is an unbounded array; the rows are called `t` then."""

    columns: tuple[Column, ...]
    source: str
    order: str
    elements: Elements | None = None


def utc(sql: str) -> str:
    """Return SQL of a time in RFC 3339 with `Z`, as everywhere. The session is in UTC."""
    return f"replace(to_json({sql}) #>> '{{}}', '+00:00', 'Z')"


def _columns(kind: CellKind, names: str) -> tuple[Column, ...]:
    return tuple(Column(name, kind, f"t.{name}") for name in names.split())


text_cells: Final = partial(_columns, CellKind.TEXT)
number_cells: Final = partial(_columns, CellKind.NUMBER)
boolean_cells: Final = partial(_columns, CellKind.BOOLEAN)
day_cells: Final = partial(_columns, CellKind.DAY)
json_cells: Final = partial(_columns, CellKind.JSON)


def time_cells(names: str) -> tuple[Column, ...]:
    return tuple(Column(name, CellKind.TIME, utc(f"t.{name}")) for name in names.split())


def of_table(
    name: Section,
    columns: tuple[Column, ...],
    order: str = "t.id",
    elements: Elements | None = None,
) -> Source:
    """Return the source for the client's rows of the table with the section's name."""
    return Source(columns, f"{name} AS t WHERE t.client_id = %(client_id)s", order, elements)
