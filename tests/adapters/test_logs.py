"""Logs: where it failed, never on what."""

import json

import pytest
import structlog

from adapters.logs import configure_logs

CANARY = "ibis-canary-42"


@pytest.fixture(autouse=True)
def _own_configuration() -> object:
    yield
    structlog.reset_defaults()


def fail(words: str) -> None:
    secret = f"ak_{words}"
    raise ValueError(f"cannot parse {secret}")


def test_exceptions_are_logged_without_values(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logs("INFO")
    log = structlog.get_logger("test")
    try:
        fail(CANARY)
    except ValueError:
        log.exception("failed", event_id="e1")

    line = capsys.readouterr().err
    assert CANARY not in line
    logged = json.loads(line)
    assert (logged["event"], logged["event_id"]) == ("failed", "e1")
    assert logged["exception"][0]["type"] == "ValueError"
    assert any("fail" in frame for frame in logged["exception"][0]["frames"])


def test_level_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logs("WARNING")

    structlog.get_logger("test").info("not shown")

    assert capsys.readouterr().err == ""
