"""Generated documents are current, and the documentation index lists every document."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from scripts import api_errors, command_list, configuration, service_metrics

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize(
    ("file", "table"),
    [
        (api_errors.FILE, api_errors.table),
        (command_list.FILE, command_list.table),
        (configuration.FILE, configuration.table),
        (service_metrics.FILE, service_metrics.table),
    ],
    ids=lambda given: given.stem if isinstance(given, Path) else "",
)
def test_a_generated_page_is_current(file: Path, table: Callable[[], str]) -> None:
    assert file.read_text(encoding="utf-8") == table()


def test_the_index_lists_every_page() -> None:
    index = (DOCS / "README.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"\]\(([\w.-]+\.md)", index))

    assert {page.name for page in DOCS.glob("*.md")} - {"README.md"} == listed
