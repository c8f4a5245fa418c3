"""The parts that `make sdk` and `make docs` share: tools in a separate environment, commands, and a
digest of the inputs."""

import hashlib
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]


class BuildFailed(Exception):
    """A command failed. The message contains the command and its output."""


def python_tools(place: Path, requirements: Path) -> Path:
    """Return the folder with the programs of an environment that contains the requirements. The
    environment is created again if the requirements have changed."""
    python = place / "bin" / "python"
    if not is_made(place, requirements.read_text()):
        run(sys.executable, "-m", "venv", "--clear", str(place))
        run(str(python), "-m", "pip", "install", "--disable-pip-version-check", "--no-input",
            "--require-hashes", "-r", str(requirements))  # fmt: skip
        made(place, requirements.read_text())
    return python.parent


def is_made(tools: Path, pins: str) -> bool:
    """Return True if a folder contains the tools with these pins."""
    stamp = tools / "pins"
    return stamp.is_file() and stamp.read_text() == pins


def made(tools: Path, pins: str) -> None:
    """Record that a folder contains the tools with these pins."""
    (tools / "pins").write_text(pins)


def run(*command: str, folder: Path = ROOT, path: Path | None = None) -> None:
    """Run a command. `path` is a folder to search for programs first. Raises BuildFailed."""
    programs = os.pathsep.join([*([str(path)] if path else []), os.environ["PATH"]])
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PATH": programs},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise BuildFailed(f"{' '.join(command)}:\n{done.stdout[-4000:]}{done.stderr[-4000:]}")


def digest(inputs: Iterable[Path]) -> str:
    """Return a digest of files and of all files in folders."""
    sha = hashlib.sha256()
    files = {file for one in inputs for file in ([one] if one.is_file() else one.rglob("*"))}
    for file in sorted(one for one in files if one.is_file() and "__pycache__" not in one.parts):
        sha.update(str(file.relative_to(ROOT)).encode() + b"\0" + file.read_bytes() + b"\0")
    return sha.hexdigest()
