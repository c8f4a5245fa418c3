"""The decision records: each has a number, the template's sections and a line in the index."""

import re
from pathlib import Path
from typing import Final

import pytest

from scripts.decision_index import FOLDER, index

PAGES: Final = sorted(FOLDER.glob("[0-9]*.md"))


def headings(page: Path) -> list[str]:
    return [line for line in page.read_text().splitlines() if line.startswith("## ")]


def test_the_index_is_the_one_of_the_pages() -> None:
    advice = "write it anew: python -m scripts.decision_index"

    assert (FOLDER / "README.md").read_text() == index(FOLDER), advice


def test_the_numbers_have_no_gap_and_no_double() -> None:
    assert [page.name[:4] for page in PAGES] == [f"{n:04}" for n in range(1, len(PAGES) + 1)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name[:4])
def test_a_page_has_the_form_of_the_template(page: Path) -> None:
    assert re.match(rf"# {page.name[:4]} \S", page.read_text())
    assert headings(page) == headings(FOLDER / "template.md")
