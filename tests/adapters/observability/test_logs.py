"""Logs contain the location of a failure, but not its data."""

import asyncio
import json
import logging
import sys
import threading
import warnings
from collections.abc import Iterator
from time import thread_time

import pytest
import structlog

from adapters.observability.logs import configure_logs

CANARY = "ibis-canary-42"


@pytest.fixture(autouse=True)
def _own_configuration() -> Iterator[None]:
    root, hooks = logging.getLogger(), (sys.excepthook, threading.excepthook)
    before = (root.handlers[:], root.level, logging.raiseExceptions)
    root.handlers.clear()  # or they would be closed
    yield
    structlog.reset_defaults()
    structlog.contextvars.clear_contextvars()
    logging.captureWarnings(capture=False)
    root.handlers[:], root.level, logging.raiseExceptions = before
    sys.excepthook, threading.excepthook = hooks


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


def only_line(capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    (line,) = capsys.readouterr().err.splitlines()
    logged: dict[str, object] = json.loads(line)
    return logged


def test_libraries_log_the_same_way(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logs("INFO")
    structlog.contextvars.bind_contextvars(request_id="r1")
    try:
        fail(CANARY)
    except ValueError:
        logging.getLogger("uvicorn.error").exception("failed for %s", "camille@example.com")

    logged = only_line(capsys)
    assert CANARY not in str(logged)
    assert logged["event"] == "failed for [redacted]"
    assert (logged["logger"], logged["level"]) == ("uvicorn.error", "error")
    assert logged["request_id"] == "r1"


def test_libraries_are_quiet_below_warning(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logs("DEBUG")

    logging.getLogger("sqlalchemy.engine").info("INSERT %s", CANARY)

    assert capsys.readouterr().err == ""


async def test_forgotten_task_is_logged_without_values(capsys: pytest.CaptureFixture[str]) -> None:
    """asyncio logs the exception of a task that nobody awaited, with its message."""

    async def forgotten() -> None:
        fail(CANARY)

    configure_logs("INFO")
    task = asyncio.create_task(forgotten())
    await asyncio.wait({task})
    del task

    logged = only_line(capsys)
    assert logged["logger"] == "asyncio"
    assert CANARY not in str(logged)
    assert "ValueError" in str(logged["exception"])


def test_warnings_are_lines_too(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logs("INFO")

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        logging.captureWarnings(capture=True)
        warnings.warn("old key ak_0123456789abcdef", UserWarning, stacklevel=1)
        logging.captureWarnings(capture=False)

    logged = only_line(capsys)
    assert logged["logger"] == "py.warnings"
    assert "0123456789abcdef" not in str(logged)


def test_uncaught_errors_are_lines_without_values(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logs("INFO")
    try:
        fail(CANARY)
    except ValueError as error:
        sys.excepthook(type(error), error, error.__traceback__)

    logged = only_line(capsys)
    assert logged["event"] == "uncaught error"
    assert CANARY not in str(logged)


def test_line_of_a_workflow_knows_its_run(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logs("INFO")

    logging.getLogger("temporalio.workflow").warning(
        "run failed",
        extra={"temporal_workflow": {"workflow_id": "event/c1/e1"}, "error_code": "mail_refused"},
    )

    logged = only_line(capsys)
    assert (logged["client_id"], logged["event_id"]) == ("c1", "e1")
    assert logged["error_code"] == "mail_refused"


def test_a_line_cannot_be_split(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logs("INFO")

    structlog.get_logger("test").info("told", path='/x\n{"event": "forged"}\u2028')

    assert only_line(capsys)["event"] == "told"


@pytest.mark.parametrize("piece", ["a", "Error('", "Error", "Exit(", "1"])
def test_a_line_of_a_library_is_read_in_linear_time(
    piece: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A library may log a stranger's text of any length."""
    configure_logs("INFO")
    started = thread_time()

    logging.getLogger("library").warning("%s", (piece * 60_000)[:60_000])

    assert thread_time() - started < 0.5
    assert only_line(capsys)["event"]


def test_a_printed_exception_is_left_out_up_to_its_last_bracket(
    capsys: pytest.CaptureFixture[str],
) -> None:
    configure_logs("INFO")

    logging.getLogger("library").warning(
        "failed: %r after %r, (again)", ValueError(f"{CANARY} (x)"), OSError("b")
    )

    assert only_line(capsys)["event"] == "failed: ValueError(…)"
