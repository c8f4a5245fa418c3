"""The documents match the code, and their references exist."""

import re
import shlex
from collections.abc import Iterator
from fnmatch import fnmatch
from itertools import takewhile
from pathlib import Path

import pytest

from domain.exports.export import Section
from domain.inbound.platform_catalogue import PLATFORMS
from domain.intake.rate_limit import limits
from domain.webhooks.samples import TESTED_BY_DEFAULT
from tests.support.core.command_check import check_command
from tests.support.core.forks import ROOT


def documents() -> list[Path]:
    return sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def table(text: str) -> list[list[str]]:
    """Return the cells of the first table, without its header."""
    lines = list(
        takewhile(lambda line: line.startswith("|"), text[text.index("\n|") + 1 :].splitlines())
    )
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_newcomer_finds_every_place() -> None:
    looked_for = table((ROOT / "README.md").read_text())
    assert len(looked_for) >= 9
    for _, place in looked_for:
        paths = [path for path in re.findall(r"`([^`]+)`", place) if re.search(r"[./]", path)]
        assert paths, place
        for path in paths:
            assert (ROOT / path).exists(), path


def test_api_lists_every_short_term_limit() -> None:
    """Each limit with its quota and its window; a row without a window has the one from the
    header."""
    text = (ROOT / "docs/api.md").read_text()
    listed: dict[str, tuple[str, str]] = {}
    for scopes, quota, *_ in table(text[text.index("## Short-term limits") :]):
        number, _, window = quota.removesuffix(" each").partition(" in ")
        for scope in re.findall(r"`(\w+)`", scopes):
            listed[scope] = (number.replace(",", "").strip("`"), window or "60 s")

    windows = {60: "60 s", 600: "ten minutes", 3600: "an hour", 86400: "24 hours"}
    expected = {
        scope.value: (str(limit.quota), windows[int(limit.window.total_seconds())])
        for scope, limit in limits(dry_runs=60).items()
    }
    assert listed == expected | {"dry_run": ("DRY_RUN_LIMIT", "60 s")}
    assert "to come" not in text


def test_export_document_miscounts_no_sections() -> None:
    """A number before "arrays" or "sections" is the number of sections."""
    words = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty"
    numbers = {word: number for number, word in enumerate(words.split(), 10)}
    text = (ROOT / "docs/export.md").read_text()
    counted = re.findall(rf"\b({'|'.join(numbers)}|\d+)\s+(?:arrays|sections)", text)
    assert {numbers.get(one) or int(one) for one in counted} <= {len(Section)}


def test_api_names_the_event_that_a_test_sends() -> None:
    (row,) = re.findall(r"^\| `POST …/test`.*$", (ROOT / "docs/api.md").read_text(), re.MULTILINE)
    assert f"`{TESTED_BY_DEFAULT}` by default" in row


def links(document: Path) -> Iterator[Path]:
    for target in re.findall(r"\]\(([^)\s]+)\)", document.read_text()):
        if not re.match(r"[a-z]+:|#", target):
            yield document.parent / target.partition("#")[0]


@pytest.mark.parametrize("document", documents(), ids=lambda path: path.name)
def test_links_and_paths_lead_somewhere(document: Path) -> None:
    text = document.read_text()
    for target in links(document):
        assert target.exists(), target
    # Platforms' event names look like paths, as media types do.
    topics = {topic for platform in PLATFORMS.values() for topic in platform.topics}
    tracked = (ROOT / ".gitignore").read_text().splitlines()
    for path in re.findall(r"`([\w.-]+/[\w./-]*)`", text):
        if path.startswith("application/"):
            continue
        if path not in topics and not any(fnmatch(path, f"{it}*") for it in tracked):
            assert (ROOT / path).exists(), path


@pytest.mark.parametrize("document", documents(), ids=lambda path: path.name)
def test_targets_and_commands_in_documents_exist(document: Path) -> None:
    text = document.read_text()
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"(?:`|^)make ([a-z-]+)", text, re.MULTILINE)) <= targets
    for line in re.findall(r"python cli\.py (.+?)(?:`|$)", text, re.MULTILINE):
        check_command(shlex.split(line))


def test_readme_names_the_two_commands() -> None:
    text = (ROOT / "README.md").read_text()
    assert "make run" in text
    assert "make test" in text
    assert len(text.splitlines()) <= 200
