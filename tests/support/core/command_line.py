"""cli.py as an operator runs it: a process of its own."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.core.forks import ROOT, Forked, clean_environment

CLI = str(ROOT / "cli.py")


def cli(*arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Run one command to its end."""
    return run(CLI, *arguments, env=clean_environment(**env))


def run(*arguments: str, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run a Python program to its end. `arguments` as Forked's."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = Forked(*arguments, out=out, err=err, env=env)
        child.wait(120)
        written = []
        for file in (out, err):
            file.seek(0)
            written.append(file.read().decode())
    assert child.exit_code is not None
    return subprocess.CompletedProcess(arguments, child.exit_code, *written)


def cli_json(*arguments: str, **env: str) -> dict[str, str]:
    """Run a command with --json; its standard output must be exactly one JSON object."""
    done = cli(*arguments, "--json", **env)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert isinstance(answer, dict)
    return answer


@contextmanager
def dev_stack(data: Path, *arguments: str, **env: str) -> Iterator["subprocess.Popen[str]"]:
    """`cli.py dev` in the background, serving when the block begins."""
    process = subprocess.Popen(
        [sys.executable, CLI, "dev", "--data", str(data), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=clean_environment(**env),
    )
    try:
        yield process
    finally:
        process.terminate()
        process.communicate(timeout=20)


def ready_url(process: "subprocess.Popen[str]") -> str:
    """The address of the line `ready http://…`; fails with the errors if it never comes."""
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith("ready "):
            return line.split()[1]
    assert process.stderr is not None
    raise AssertionError(f"dev ended without serving:\n{process.stderr.read()}")
