"""Who may write: edges write through use cases only."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EDGES = ("api", "commands", "demo")


def _calls(file: Path) -> list[str]:
    """What a file does that only use cases may: open a writing transaction, or use one by hand."""
    tree = ast.parse(file.read_text())
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            of = ast.unparse(node.func.value)
            if node.func.attr in ("tenant", "service") and "database" in of.lower():
                found.append(f"{file.name}:{node.lineno} {of}.{node.func.attr}")
        if isinstance(node, ast.Attribute) and node.attr == "connection":
            of = ast.unparse(node.value)
            if "work" in of:
                found.append(f"{file.name}:{node.lineno} {of}.connection")
    return found


@pytest.mark.parametrize("edge", EDGES)
def test_no_edge_opens_a_writing_transaction(edge: str) -> None:
    files = sorted((ROOT / edge).rglob("*.py"))
    assert files
    assert [call for file in files for call in _calls(file)] == []
