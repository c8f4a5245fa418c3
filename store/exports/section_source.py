"""What a section of an export is read from: the kinds of its cells, and SQL for each."""

from dataclasses import dataclass
from enum import Enum, auto
from functools import partial
from typing import Final

from domain.exports.export import Section


class CellKind(Enum):
    """What a cell holds. A spreadsheet may take TEXT for a formula, and the others not."""

    TEXT = auto()
    NUMBER = auto()
    BOOLEAN = auto()
    TIME = auto()
    DAY = auto()
    JSON = auto()


@dataclass(frozen=True, slots=True)
class Column:
    """`sql`: of one value, in a query on the section's `source`."""

    name: str
    kind: CellKind
    sql: str


@dataclass(frozen=True, slots=True)
class Elements:
    """What the last column of a record lists, where nothing bounds how many that are: a JSON array
    that leaves in pieces (`store/exports/pieces.py`).

    `sql`: of one, as JSON. `source`: what stands after FROM; those of the record `t`.
    """

    sql: str
    source: str
    order: str

    @property
    def all(self) -> str:
        """SQL of the whole array."""
        return (
            f"(SELECT coalesce(json_agg({self.sql} ORDER BY {self.order}), '[]'::json) "  # noqa: S608 - constants
            f"FROM {self.source})"
        )


@dataclass(frozen=True, slots=True)
class Source:
    """`source`: what stands after FROM; rows of the client whose id is `%(client_id)s`. `elements`:
    of the last column, where it is an array without a bound; the rows are called `t` then."""

    columns: tuple[Column, ...]
    source: str
    order: str
    elements: Elements | None = None


def utc(sql: str) -> str:
    """SQL of a time in RFC 3339, in UTC with `Z`, as everywhere else. The session is in UTC."""
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
    """The client's rows of the table that has the section's name."""
    return Source(columns, f"{name} AS t WHERE t.client_id = %(client_id)s", order, elements)
