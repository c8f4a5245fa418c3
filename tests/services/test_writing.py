"""Who may write: edges write through use cases only."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[2]
EDGES: Final = ("api", "commands", "demo")
# What of a database opens a transaction that may write, or none at all.
WRITING: Final = frozenset({"tenant", "service", "unscoped", "_transaction", "_connection"})
OPENED: Final = frozenset({"of", "spanning", "everywhere"})
# A key, the widget's too, or the token of an address for webhooks, is read by a function of the
# database, before any client is known. What PostgreSQL allows is asked as the role that connects.
UNSCOPED: Final = {
    ("auth.py", "unscoped"),
    ("widget_access.py", "unscoped"),
    ("inbound_entry_limiter.py", "unscoped"),
    ("connections.py", "unscoped"),
}


def _units_of_work(tree: ast.Module) -> set[str]:
    """The names that units of work have in a file."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.AsyncWith):
            for item in node.items:
                call, name = item.context_expr, item.optional_vars
                if (
                    isinstance(call, ast.Call)
                    and isinstance(call.func, ast.Attribute)
                    and call.func.attr in OPENED
                    and isinstance(name, ast.Name)
                ):
                    names.add(name.id)
        if isinstance(node, ast.arg) and "UnitOfWork" in ast.unparse(node.annotation or node):
            names.add(node.arg)
    return names


def written(source: str, file: str) -> Iterator[str]:
    """What a file does that only use cases may: get a writing transaction, or use one by hand."""
    tree = ast.parse(source)
    works = _units_of_work(tree)
    for node in ast.walk(tree):
        if not isinstance(node, ast.Attribute):
            continue
        of = ast.unparse(node.value)
        opens = node.attr in WRITING and of.lower().endswith(("database", "database()"))
        if opens and (file, node.attr) not in UNSCOPED:
            yield f"{file}:{node.lineno} {of}.{node.attr}"
        if node.attr == "connection" and of in works:
            yield f"{file}:{node.lineno} {of}.connection"


@pytest.mark.parametrize("edge", EDGES)
def test_no_edge_opens_a_writing_transaction(edge: str) -> None:
    files = sorted((ROOT / edge).rglob("*.py"))

    assert files
    assert [call for file in files for call in written(file.read_text(), file.name)] == []


@pytest.mark.parametrize(
    "source",
    [
        "async def f(database):\n    async with database.tenant(t) as connection: ...",
        "async def f(resources):\n    open = resources.database.service",
        "async def f(database):\n    database._transaction(begin, 1)",
        "async def f(database):\n    async with database.unscoped() as connection: ...",
        "async def f(units):\n    async with units.of(t) as unit:\n        unit.connection",
        "async def f(unit: UnitOfWork):\n    unit.connection",
    ],
)
def test_what_would_be_found(source: str) -> None:
    assert len(list(written(source, "file.py"))) == 1
