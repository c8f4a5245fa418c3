"""cli.py as an operator runs it: a process of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.processes import ROOT

CLI = str(ROOT / "cli.py")


def clean_environment(**more: str) -> dict[str, str]:
    """What a fresh shell has: no setting of ours."""
    return {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), **more}


def cli(*arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Run one command to its end."""
    return subprocess.run(
        [sys.executable, CLI, *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env=clean_environment(**env),
    )


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
