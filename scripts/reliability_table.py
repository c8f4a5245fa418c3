"""Write docs/reliability.md from the rows in tests/reliability/ and the results of a test run.

    python -m scripts.reliability_table results.xml…    reads the JUnit files of a whole run
    python -m scripts.reliability_table                 keeps the page's current results

The command fails if a row's test failed or did not run.
"""

import re
import sys
import xml.etree.ElementTree as ET
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import yaml

ROOT: Final = Path(__file__).resolve().parent.parent
ROWS: Final = ROOT / "tests/reliability"
PAGE: Final = ROOT / "docs/reliability.md"
UNKNOWN: Final = "not run"

_SECTIONS: Final = {
    "faults": "Faults",
    "input": "Bad and hostile input",
    "access": "Accounts, keys, payments and AI clients",
}
_INTRODUCTION: Final = """# Reliability

This page is for operators and contributors. It lists each fault or attack that was tested, the
service's promise for it, and the test of the promise. The last column is the test's result in the
last whole run. `make test-all` generates this page from the rows in `tests/reliability/`. The run
fails if a row's test is missing or fails.
"""


@dataclass(frozen=True, slots=True)
class Row:
    """A table row. `test` is a pytest node id without parameters."""

    fault: str
    promise: str
    test: str


def read_rows(name: str) -> list[Row]:
    """Return the rows of a section. Raises TypeError if a row has unexpected fields."""
    text = (ROWS / f"{name}.yaml").read_text()
    # Use the C loader because every process that collects the tests reads these files.
    rows = yaml.load(text, Loader=yaml.CSafeLoader)
    return [Row(**row) for row in rows]


def sections() -> Mapping[str, list[Row]]:
    return {title: read_rows(name) for name, title in _SECTIONS.items()}


def results(files: Iterable[Path]) -> dict[str, str]:
    """Return the result of each test in the JUnit files, keyed by node id. The results for the
    cases of a parametrized test are combined."""
    cases: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for file in files:
        for case in ET.parse(file).iter("testcase"):  # noqa: S314 - pytest wrote it
            cases[_node(case)][_outcome(case)] += 1
    return {node: _summary(outcomes) for node, outcomes in cases.items()}


def _node(case: ET.Element) -> str:
    """Return the node id of a JUnit test case, without parameters.

    In JUnit files, pytest writes the test's file as a dotted name, and includes the parameters in
    the test's name.
    """
    name = case.get("name", "").partition("[")[0]
    return f"{case.get('classname', '').replace('.', '/')}.py::{name}"


def _outcome(case: ET.Element) -> str:
    for tag in ("failure", "error", "skipped"):
        if case.find(tag) is not None:
            return "skipped" if tag == "skipped" else "failed"
    return "passed"


def _summary(outcomes: Counter[str]) -> str:
    for worst in ("failed", "skipped"):
        if outcomes[worst]:
            return f"{worst} ({outcomes[worst]} of {outcomes.total()})"
    return "passed" if outcomes.total() == 1 else f"passed ({outcomes.total()} cases)"


def kept_results() -> dict[str, str]:
    """Return the results that the page currently shows."""
    if not PAGE.exists():
        return {}
    shown = re.findall(r"\| `(tests/[^`]+)` \| ([^|]+) \|$", PAGE.read_text(), re.MULTILINE)
    return dict(shown)


def page(came_of: Mapping[str, str]) -> str:
    parts = [_INTRODUCTION]
    for title, rows in sections().items():
        parts.append(
            f"\n## {title}\n\n| Tried | Promised | Test | Last result |\n|---|---|---|---|\n"
        )
        parts += [
            f"| {row.fault} | {row.promise} | `{row.test}` | {came_of.get(row.test, UNKNOWN)} |\n"
            for row in rows
        ]
    return "".join(parts)


def main(arguments: Sequence[str]) -> int:
    came_of = results(map(Path, arguments)) if arguments else kept_results()
    PAGE.write_text(page(came_of))
    if not arguments:
        return 0
    wrong = [
        row
        for rows in sections().values()
        for row in rows
        if came_of.get(row.test, UNKNOWN).startswith(("failed", UNKNOWN))
    ]
    for row in wrong:
        print(f"reliability: {row.test}: {came_of.get(row.test, UNKNOWN)}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
