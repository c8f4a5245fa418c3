"""Builders for statements that insert the records of an export, a JSON array `:records`. Names and
types in the statements are constants."""

from collections.abc import Iterable, Mapping

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql


def typed(table: sa.Table, names: Iterable[str]) -> str:
    """Return the column definition list for json_to_recordset: these columns of the table with
    their SQL types."""
    dialect = postgresql.dialect()  # type: ignore[no-untyped-call]
    return ", ".join(f"{name} {table.c[name].type.compile(dialect=dialect)}" for name in names)


def insert_records(
    table: sa.Table,
    names: Iterable[str],
    values: Mapping[str, str] | None = None,
    *,
    more: str = "",
) -> sa.TextClause:
    """Return a statement that inserts the records `r`. `names` are the columns to insert. `values`
    maps a column to an SQL expression that adds or replaces its value. `more` defines further
    columns of `r` for these expressions."""
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
    """Return a statement that inserts the parts `r` of records `o`: the members of the list `part`,
    or the object `part`. `outer` defines the columns of `o` that `values` read."""
    plain = tuple(names)
    cells = {name: f"r.{name}" for name in plain} | dict(values)
    return sa.text(
        f"INSERT INTO {table.name} (client_id, {', '.join(cells)}) "  # noqa: S608 - our own names
        f"SELECT :client_id, {', '.join(cells.values())} "
        f"FROM json_to_recordset(CAST(:records AS json)) AS o ({outer}{part} json), "
        f"json_to_recordset(CASE json_typeof(o.{part}) WHEN 'array' THEN o.{part} "
        f"ELSE json_build_array(o.{part}) END) AS r ({typed(table, plain)})"
    )
