"""Write access: entry points write only through use cases."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[2]
EDGES: Final = ("api", "commands", "demo")
# Database methods that open a transaction with write access, or without a tenant.
WRITING: Final = frozenset({"tenant", "service", "unscoped", "_transaction", "_connection"})
OPENED: Final = frozenset({"of", "spanning", "everywhere"})
# A database function looks up a key or an inbound address's token, before the client is known.
# PostgreSQL's permissions are queried as the connecting role.
UNSCOPED: Final = {
    ("auth.py", "unscoped"),
    ("widget_access.py", "unscoped"),
    ("inbound_entry_limiter.py", "unscoped"),
    ("connections.py", "unscoped"),
}


def _units_of_work(tree: ast.Module) -> set[str]:
    """Return the names of the units of work in a file."""
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
    """Return what a file does that is reserved for use cases: get or use a writing transaction."""
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
