"""The fault table names existing tests, and shows their results."""

import ast
from functools import cache
from pathlib import Path

import pytest

from scripts import reliability_table as table
from tests.support.core.each import each
from tests.support.core.forks import ROOT

ROWS = [row for rows in table.sections().values() for row in rows]


@cache
def functions_of(file: Path) -> frozenset[str]:
    return frozenset(
        node.name
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )


@each(ROWS)
def test_every_row_has_its_test(row: table.Row) -> None:
    file, _, name = row.test.partition("::")
    assert name in functions_of(ROOT / file)


def test_the_page_is_of_the_rows() -> None:
    assert table.PAGE.read_text() == table.page(table.kept_results())


def test_no_fault_is_named_twice() -> None:
    assert len({row.fault for row in ROWS}) == len(ROWS)


def test_results_of_a_run(tmp_path: Path) -> None:
    file = tmp_path / "run.xml"
    file.write_text(
        """<testsuites><testsuite>
        <testcase classname="tests.a.test_x" name="test_one"/>
        <testcase classname="tests.a.test_x" name="test_two[1]"/>
        <testcase classname="tests.a.test_x" name="test_two[2]"/>
        <testcase classname="tests.a.test_x" name="test_three[1]"/>
        <testcase classname="tests.a.test_x" name="test_three[2]"><failure/></testcase>
        <testcase classname="tests.a.test_x" name="test_four"><skipped/></testcase>
        </testsuite></testsuites>"""
    )
    assert table.results([file]) == {
        "tests/a/test_x.py::test_one": "passed",
        "tests/a/test_x.py::test_two": "passed (2 cases)",
        "tests/a/test_x.py::test_three": "failed (1 of 2)",
        "tests/a/test_x.py::test_four": "skipped (1 of 1)",
    }


def test_a_row_whose_test_did_not_run_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table, "PAGE", tmp_path / "page.md")
    file = tmp_path / "run.xml"
    file.write_text("<testsuites/>")
    assert table.main([str(file)]) == 1
