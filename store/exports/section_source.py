"""The source of a section of an export: the SQL for each column, and the kind of its values."""

from dataclasses import dataclass
from enum import Enum, auto
from functools import partial
from typing import Final

from domain.exports.export import Section


class CellKind(Enum):
    """The kind of value in a cell. A spreadsheet can mistake only TEXT cells for formulas."""

    TEXT = auto()
    NUMBER = auto()
    BOOLEAN = auto()
    TIME = auto()
    DAY = auto()
    JSON = auto()


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a section. `sql` is the SQL expression for its value, in a query on the section's
    `source`."""

    name: str
    kind: CellKind
    sql: str


@dataclass(frozen=True, slots=True)
class Elements:
    """The unbounded array in the last column of a record, rendered in pieces
    (`store/exports/pieces.py`).

    `sql` is the expression for one element, as JSON. `source` is the FROM clause for the elements
    of `t`.
    """

    sql: str
    source: str
    order: str

    @property
    def all(self) -> str:
        """Return the SQL expression for the whole array, as JSON."""
        return (
            f"(SELECT coalesce(json_agg({self.sql} ORDER BY {self.order}), '[]'::json) "  # noqa: S608 - constants
            f"FROM {self.source})"
        )


@dataclass(frozen=True, slots=True)
class Source:
    """The source of a section: a FROM clause for the rows of the client `%(client_id)s`. With
    `elements`, the unbounded array in the last column, the rows must have the alias `t`."""

    columns: tuple[Column, ...]
    source: str
    order: str
    elements: Elements | None = None


def utc(sql: str) -> str:
    """Return the SQL for a time in the format used by all exported times: RFC 3339 with `Z`. The
    session's time zone must be UTC."""
    return f"replace(to_json({sql}) #>> '{{}}', '+00:00', 'Z')"


def _columns(kind: CellKind, names: str) -> tuple[Column, ...]:
    return tuple(Column(name, kind, f"t.{name}") for name in names.split())


text_cells: Final = partial(_columns, CellKind.TEXT)
number_cells: Final = partial(_columns, CellKind.NUMBER)
boolean_cells: Final = partial(_columns, CellKind.BOOLEAN)
day_cells: Final = partial(_columns, CellKind.DAY)
json_cells: Final = partial(_columns, CellKind.JSON)


def time_cells(names: str) -> tuple[Column, ...]:
    """Return columns of times in UTC. `names` are the columns' names, separated by blanks."""
    return tuple(Column(name, CellKind.TIME, utc(f"t.{name}")) for name in names.split())


def of_table(
    name: Section,
    columns: tuple[Column, ...],
    order: str = "t.id",
    elements: Elements | None = None,
) -> Source:
    """Return a source that reads the client's rows from the table that has the section's name."""
    return Source(columns, f"{name} AS t WHERE t.client_id = %(client_id)s", order, elements)
