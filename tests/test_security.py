"""SECURITY.md: each promise names an existing test, which each complete run reports."""

import ast
import re
from typing import Final

import pytest

from scripts import reliability_table
from tests.support.core.forks import ROOT

_PROMISES: Final = (
    (ROOT / "SECURITY.md").read_text().partition("\n## Promises\n")[2].partition("\n## ")[0]
)
_ROW: Final = re.compile(
    r"\| (?P<promise>[A-Z].*\.) \| `(?P<file>tests/\S+\.py)::(?P<test>test_\w+)` \|"
)
ROWS: Final = [
    line for line in _PROMISES.splitlines() if line.startswith("| ") and "---" not in line
]
PROMISES: Final = [row for row in ROWS if row != "| Promise | Test |"]

CLAIMS: Final = {row.test for rows in reliability_table.sections().values() for row in rows}


def test_there_are_promises() -> None:
    assert len(PROMISES) > 20


@pytest.mark.parametrize("row", PROMISES)
def test_each_promise_names_a_test_that_exists(row: str) -> None:
    found = _ROW.fullmatch(row)

    assert found is not None, "a promise as a sentence, and `tests/….py::test_name`"
    file = ROOT / found["file"]
    assert file.is_file()
    assert found["test"] in _tests_of(file.read_text())


@pytest.mark.parametrize("row", PROMISES)
def test_each_promise_is_in_the_table_of_reliability(row: str) -> None:
    found = _ROW.fullmatch(row)

    assert found is not None
    assert f"{found['file']}::{found['test']}" in CLAIMS


def _tests_of(source: str) -> set[str]:
    return {
        node.name
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
