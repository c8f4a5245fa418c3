"""Lists on a terminal and in a file."""

import pytest
from rich.console import Console

from commands.core import listing

ID = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
NAMES = ("template", "client", "name", "class", "body")
ROW = (ID, ID[::-1], "Refund [b]now", "refund_request", "We are\nrefunding\x1b[2J you. " * 30)


def printed(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    *,
    columns: int,
    terminal: bool,
) -> list[str]:
    console = Console(width=columns, force_terminal=terminal, color_system=None)
    monkeypatch.setattr(listing, "out", console)
    listing.print_list(NAMES, [ROW], ids=2)
    return capsys.readouterr().out.splitlines()


@pytest.mark.parametrize("columns", [80, 100])
def test_a_terminal_gets_one_line_with_whole_ids(
    columns: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _, line = printed(monkeypatch, capsys, columns=columns, terminal=True)
    assert len(line) <= columns
    assert line.split()[:2] == [ID, ID[::-1]]
    assert "…" in line


def test_a_file_gets_what_a_person_would_read(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _, line = printed(monkeypatch, capsys, columns=80, terminal=False)
    assert "Refund [b]now  refund_request  We are refunding[2J you. We are" in line
    assert len(line.rstrip()) < 400
