"""Command output on a narrow terminal."""

import json
from datetime import UTC, datetime, timedelta, timezone

import pytest
from rich.console import Console

from commands.core import context
from tests.support.core.forks import ROOT

AT = datetime(2026, 11, 24, 20, 0, 12, 345678, tzinfo=timezone(timedelta(hours=1)))
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


def test_times_have_the_form_of_http_and_exports(capsys: pytest.CaptureFixture[str]) -> None:
    day = AT.date()
    context.answer(True, "", since=AT, none=None, day=day, keys=[{"created_at": AT}])

    told = "2026-11-24T19:00:12.345Z"
    assert json.loads(capsys.readouterr().out) == {
        "since": told,
        "none": None,
        "day": "2026-11-24",
        "keys": [{"created_at": told}],
    }


def test_a_time_for_a_person_is_that_form_to_the_second(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(context, "out", Console(width=80))
    context.answer(False, "Trial set.", ends=AT.astimezone(UTC))
    assert capsys.readouterr().out.split() == ["Trial", "set.", "ends", "2026-11-24T19:00:12Z"]


def test_lists_and_objects_are_shown_without_python_syntax(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(context, "out", Console(width=80))
    context.answer(False, "Done.", events=["a.b", "c.d"], headers={"X": None}, none=())
    _, *facts = capsys.readouterr().out.splitlines()
    assert [line.split(maxsplit=1) for line in facts] == [
        ["events", "a.b, c.d"],
        ["headers", '{"X": null}'],
        ["none"],
    ]


def test_no_command_writes_a_time_in_a_form_of_its_own() -> None:
    for file in (ROOT / "commands").rglob("*.py"):
        assert ".isoformat(" not in file.read_text(), file
