"""Statements that insert an export's records, with constant names and types. `:records` is a JSON
array of records that PostgreSQL parses."""

from collections.abc import Iterable, Mapping

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql


def typed(table: sa.Table, names: Iterable[str]) -> str:
    """Return columns of a table with their types, as a record set declaration."""
    dialect = postgresql.dialect()  # type: ignore[no-untyped-call]
    return ", ".join(f"{name} {table.c[name].type.compile(dialect=dialect)}" for name in names)


def insert_records(
    table: sa.Table,
    names: Iterable[str],
    values: Mapping[str, str] | None = None,
    *,
    more: str = "",
) -> sa.TextClause:
    """Insert the records `r`. `names`: the cells to insert. `values`: SQL expressions that add or
    replace cells. `more`: further columns of `r` that these expressions read."""
    plain = tuple(names)
    cells = {name: f"r.{name}" for name in plain} | dict(values or {})
    return sa.text(
        f"INSERT INTO {table.name} (client_id, {', '.join(cells)}) "  # noqa: S608 - our own names
        f"SELECT :client_id, {', '.join(cells.values())} "
        f"FROM json_to_recordset(CAST(:records AS json)) AS r ({typed(table, plain)}{more})"
    )


def insert_parts(
    table: sa.Table, part: str, names: Iterable[str], values: Mapping[str, str], outer: str = ""
) -> sa.TextClause:
    """Insert parts `r` of the records: the members of a list, or one object. The record is called
    `o`; `outer` declares the columns of `o` that `values` read."""
    plain = tuple(names)
    cells = {name: f"r.{name}" for name in plain} | dict(values)
    return sa.text(
        f"INSERT INTO {table.name} (client_id, {', '.join(cells)}) "  # noqa: S608 - our own names
        f"SELECT :client_id, {', '.join(cells.values())} "
        f"FROM json_to_recordset(CAST(:records AS json)) AS o ({outer}{part} json), "
        f"json_to_recordset(CASE json_typeof(o.{part}) WHEN 'array' THEN o.{part} "
        f"ELSE json_build_array(o.{part}) END) AS r ({typed(table, plain)})"
    )
