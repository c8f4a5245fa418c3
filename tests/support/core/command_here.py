"""cli.py commands in the test's own process, where everything is already imported."""

import logging
import os
import subprocess
import sys
import threading
import warnings
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from unittest.mock import patch

import structlog
from rich.console import Console
from typer.testing import CliRunner

import cli
from commands.core import context


def run_here(
    arguments: tuple[str, ...], *, said: str, env: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run one command to its end, and restore process-wide settings.

    The command runs in a separate thread, because it starts an event loop and the test may be in
    one.
    """
    done: Future[subprocess.CompletedProcess[str]] = Future()

    def work() -> None:
        try:
            done.set_result(_ended(arguments, said, env))
        except BaseException as error:  # noqa: BLE001 - it is raised by result()
            done.set_exception(error)

    # If a command hangs, the test's deadline ends the wait, and a daemon thread does not keep the
    # process alive.
    threading.Thread(target=work, daemon=True).start()
    return done.result()


def _ended(
    arguments: tuple[str, ...], said: str, env: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    with (
        CliRunner().isolation(input=said) as (out, err, _),
        patch.dict(os.environ, {"COLUMNS": "80", **env}, clear=True),
        _kept_logs(),
        patch.dict(vars(context.out), vars(Console()), clear=True),
        patch.dict(vars(context.err), vars(Console(stderr=True)), clear=True),
    ):
        code = _exit_code(arguments)
        sys.stdout.flush()
        sys.stderr.flush()
        return subprocess.CompletedProcess(
            arguments, code, out.getvalue().decode(), err.getvalue().decode()
        )


def _exit_code(arguments: tuple[str, ...]) -> int:
    """Return the exit code as cli.main does, which ends the process."""
    try:
        cli.app(args=list(arguments))
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except Exception as error:  # noqa: BLE001 - the interpreter does the same
        sys.excepthook(type(error), error, error.__traceback__)
        return 1
    return 0


@contextmanager
def _kept_logs() -> Iterator[None]:
    """Restore the logging setup that configure_logs changes."""
    root, level, before = logging.getLogger(), logging.getLogger().level, structlog.get_config()
    with ExitStack() as kept:
        kept.callback(structlog.configure, **before)
        kept.callback(root.setLevel, level)
        for owner, name, value in (
            (root, "handlers", []),  # which configure_logs would close
            (logging, "raiseExceptions", logging.raiseExceptions),
            (logging, "_warnings_showwarning", None),
            (warnings, "showwarning", warnings.showwarning),
            (sys, "excepthook", sys.excepthook),
            (threading, "excepthook", threading.excepthook),
        ):
            kept.enter_context(patch.object(owner, name, value))
        yield
