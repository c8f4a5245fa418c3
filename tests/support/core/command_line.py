"""cli.py as an operator runs it: in this process if possible, and otherwise in a new one."""

import json
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tests.support.core.command_here import run_here
from tests.support.core.forks import ROOT, Forked, clean_environment

CLI = str(ROOT / "cli.py")
# These commands handle signals or are servers, so each of them needs a separate process.
_PROCESSES: Final = ("demo", "dev", "serve", "worker")


class Command(Forked):
    """A started Python program. `arguments` are as in Forked. `said` is the standard input."""

    def __init__(self, *arguments: str, env: dict[str, str], said: str = "") -> None:
        self._arguments = arguments
        self._out = tempfile.TemporaryFile()  # noqa: SIM115 - closed by ended()
        self._err = tempfile.TemporaryFile()  # noqa: SIM115
        with tempfile.TemporaryFile() as given:
            given.write(said.encode())
            given.seek(0)
            super().__init__(*arguments, out=self._out, err=self._err, env=env, given=given)

    def ended(self) -> subprocess.CompletedProcess[str]:
        """Return the output once the program has ended. The program is killed after two minutes."""
        self.wait(120)
        written = []
        for file in (self._out, self._err):
            with file:
                file.seek(0)
                written.append(file.read().decode())
        assert self.exit_code is not None
        return subprocess.CompletedProcess(self._arguments, self.exit_code, *written)


def begin(*arguments: str, **env: str) -> Command:
    """Start one cli.py command, which may be interrupted."""
    return Command(CLI, *arguments, env=clean_environment(**env))


def cli(*arguments: str, said: str = "", **env: str) -> subprocess.CompletedProcess[str]:
    """Run one command to its end, in this process unless it is a server.

    Concurrent work in this process, such as an engine's worker, would mix its output in. Use
    cli_process then.
    """
    if arguments[0] in _PROCESSES:
        return cli_process(*arguments, said=said, **env)
    done = run_here(arguments, said=said, env=clean_environment(**env))
    if "--json" in arguments:
        assert "+00:00" not in done.stdout, "a time in JSON ends in Z"
    return done


def cli_process(*arguments: str, said: str = "", **env: str) -> subprocess.CompletedProcess[str]:
    """Run one command to its end in a separate process, as an operator does."""
    return Command(CLI, *arguments, env=clean_environment(**env), said=said).ended()


def run(*arguments: str, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run a Python program to its end. `arguments`: as in Forked."""
    return Command(*arguments, env=env).ended()


def cli_json(*arguments: str, **env: str) -> dict[str, str]:
    """Run a command with --json, and return its output. The standard output must be exactly one
    JSON object."""
    return answer_of(cli(*arguments, "--json", **env))


def answer_of(done: subprocess.CompletedProcess[str]) -> dict[str, str]:
    """Return the output of a successful command with --json."""
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert isinstance(answer, dict)
    return answer


def hear_ctrl_c() -> None:
    """Stop ignoring Ctrl-C. Child processes of a shell's background jobs, and of some CI runners,
    ignore it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@contextmanager
def dev_stack(data: Path, *arguments: str, **env: str) -> Iterator["subprocess.Popen[str]"]:
    """Run `cli.py dev` in the background, ready when the block starts."""
    process = subprocess.Popen(
        [sys.executable, CLI, "dev", "--data", str(data), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=clean_environment(**env),
        preexec_fn=hear_ctrl_c,  # noqa: PLW1509 - started from the main thread
    )
    try:
        yield process
    finally:
        process.terminate()
        process.communicate(timeout=20)


def ready_url(process: "subprocess.Popen[str]") -> str:
    """Return the address in the line `ready http://…`, and fail with the errors if it never
    appears."""
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith("ready "):
            return line.split()[1]
    assert process.stderr is not None
    raise AssertionError(f"dev ended without serving:\n{process.stderr.read()}")


def opening_lines(process: "subprocess.Popen[str]") -> list[str]:
    """Return the output of `dev` from its user-facing address and `ready` on, up to the later
    one."""
    assert process.stdout is not None
    found: list[str] = []
    for line in process.stdout:
        if line.startswith(("ready ", "open ")):
            found.append(line.strip())
        if len(found) == 2:
            return found
    assert process.stderr is not None
    raise AssertionError(f"dev ended without serving:\n{process.stderr.read()}")
