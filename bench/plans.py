"""The query plans of frequent statements, as they run on the service's connections."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

import psycopg
from psycopg import sql
from psycopg.rows import TupleRow
from pydantic import BaseModel, Field

from bench.load import LoadShop
from bench.statements import ACTIVE_KEY, Statement, hot_statements, material_of
from store.core.database import SERVICE_ROLE, Database

_LARGE_ROWS: Final = 1_000
"""The number of rows above which a sequential scan of a table indicates a missing index."""

_PLACE: Final = re.compile(r"%\((\w+)\)s")


class StatementPlan(BaseModel):
    """The plan of one statement. `scans` are the used indexes and the tables scanned sequentially.
    `missed` are the large tables among them."""

    statement: str
    scans: tuple[str, ...]
    missed: tuple[str, ...]


class _Node(BaseModel):
    """A node of a plan in EXPLAIN's output."""

    kind: str = Field(alias="Node Type")
    table: str = Field(default="", alias="Relation Name")
    index: str = Field(default="", alias="Index Name")
    arbiters: tuple[str, ...] = Field(default=(), alias="Conflict Arbiter Indexes")
    inner: tuple["_Node", ...] = Field(default=(), alias="Plans")

    def all(self) -> Iterator["_Node"]:
        yield self
        for node in self.inner:
            yield from node.all()


class _Explained(BaseModel):
    plan: _Node = Field(alias="Plan")


async def plans_of(database: Database, url: str, shop: LoadShop) -> list[StatementPlan]:
    """Return the plan of every frequent statement, on analyzed tables. `url` is the service's
    database URL.

    The plans are generic, as for prepared statements, and include row-level security, because
    `engine_app` makes them for one client.
    """
    statements = await hot_statements(database, shop)
    del statements[
        ACTIVE_KEY
    ]  # This statement runs inside a function. Its plan is requested separately below.
    with psycopg.connect(url, cursor_factory=psycopg.ClientCursor) as connection:
        connection.execute("SET plan_cache_mode = force_generic_plan")
        connection.execute("SELECT set_config('app.client_id', %s, false)", [shop.client_id])
        large = _large_tables(connection)
        plans = [
            _summary(name, _explain(connection, *_numbered(statement)), large)
            for name, statement in statements.items()
        ]
        plans.append(_summary(ACTIVE_KEY, _explain_active_key(connection, shop), large))
    return plans


def _numbered(statement: Statement) -> tuple[str, list[object]]:
    """Return the SQL with numbered parameters ($1), and the parameters' values."""
    names = list(dict.fromkeys(_PLACE.findall(statement.sql)))
    numbered = _PLACE.sub(lambda place: f"${names.index(place[1]) + 1}", statement.sql)
    return numbered.replace("%%", "%"), [statement.parameters[name] for name in names]


def _explain(
    connection: psycopg.Connection[TupleRow], statement: str, values: Sequence[object]
) -> _Node:
    connection.execute(f"PREPARE hot AS {statement}".encode())
    places = sql.SQL(", ").join(map(sql.Literal, values))
    row = connection.execute(
        sql.SQL("EXPLAIN (FORMAT JSON) EXECUTE hot ({})").format(places)
    ).fetchone()
    connection.execute("DEALLOCATE hot")
    if row is None:
        raise RuntimeError("PostgreSQL explained nothing")
    return _Explained.model_validate(row[0][0]).plan


def _explain_active_key(connection: psycopg.Connection[TupleRow], shop: LoadShop) -> _Node:
    """Return the plan of the statement inside the function, explained under the role that executes
    the function."""
    row = connection.execute("SELECT prosrc FROM pg_proc WHERE proname = 'active_key'").fetchone()
    if row is None:
        raise RuntimeError("the database has no function active_key")
    connection.execute(sql.SQL("SET ROLE {}").format(sql.Identifier(SERVICE_ROLE)))
    body = str(row[0]).replace("presented", "$1::bytea")
    return _explain(connection, body, [material_of(shop).digest])


def _large_tables(connection: psycopg.Connection[TupleRow]) -> frozenset[str]:
    found = connection.execute(
        "SELECT relname FROM pg_class WHERE relkind = 'r' AND reltuples > %s", [_LARGE_ROWS]
    )
    return frozenset(str(row[0]) for row in found)


def _summary(name: str, plan: _Node, large: frozenset[str]) -> StatementPlan:
    whole = [node.table for node in plan.all() if node.kind == "Seq Scan"]
    indexes = [index for node in plan.all() for index in (node.index, *node.arbiters) if index]
    return StatementPlan(
        statement=name,
        scans=tuple(dict.fromkeys((*indexes, *(f"all of {table}" for table in whole)))),
        missed=tuple(table for table in whole if table in large),
    )
