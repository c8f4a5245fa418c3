"""How commands answer on a narrow terminal."""

import json

import pytest
from rich.console import Console

from commands.core import context

SECRET = "whsec_" + "5f1c0a9b7d3e8246a1b2c3d4e5f60718293a4b5c6d7e8f90"


@pytest.mark.parametrize("columns", [20, 80])
def test_a_secret_is_shown_whole(
    columns: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(context, "out", Console(width=columns))
    context.answer(
        False, "Keep [b]it.", webhook_id="W1", secret=SECRET, previous_secret_until="2026-11-22"
    )
    first, *facts = capsys.readouterr().out.splitlines()
    assert first == "Keep [b]it."
    assert [line.split() for line in facts] == [
        ["webhook_id", "W1"],
        ["secret", SECRET],
        ["previous_secret_until", "2026-11-22"],
    ]


def test_what_strangers_wrote_is_shown_as_text(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(context, "out", Console(width=80))
    context.answer(False, "Done.", response_body="[bold]\x1b[2Jfin")
    assert "[bold][2Jfin" in capsys.readouterr().out


def test_a_program_gets_one_object(capsys: pytest.CaptureFixture[str]) -> None:
    context.answer(True, "Done.", secret=SECRET)
    assert json.loads(capsys.readouterr().out) == {"secret": SECRET}
