"""scripts/setup.sh, with a fake Python that records its arguments."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

SCRIPT: Final = Path(__file__).resolve().parents[2] / "scripts" / "setup.sh"
# As an interpreter, it is recent enough and creates a .venv that contains itself.
PYTHON: Final = """#!/bin/sh
case "$*" in
    --version) echo "Python 3.11.0" ;;
    "-m venv .venv") mkdir -p .venv/bin && cp "$0" .venv/bin/python && echo venv >>asked ;;
    "-m pip install "*)
        echo "${*##* }" >>asked
        if [ -e no-network ]; then echo "no network"; exit 1; fi ;;
esac
"""


class Clone:
    """A folder with the script, a Python and two requirements files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "scripts").mkdir()
        shutil.copy(SCRIPT, folder / "scripts")
        (folder / "requirements").mkdir()
        self.require("embedded", "one==1")
        self.require("dev", "one==1 two==2")
        python = folder / "python-of-the-test"
        python.write_text(PYTHON)
        python.chmod(0o755)

    def require(self, requirements: str, content: str) -> None:
        (self.folder / "requirements" / f"{requirements}.txt").write_text(content)

    def set_up(self, requirements: str) -> list[str]:
        """Run the script, which must succeed; return the recorded Python calls."""
        done = self.run(requirements)
        assert done.returncode == 0, done.stderr
        return self.asked()

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            ["sh", "scripts/setup.sh", *arguments],
            cwd=self.folder,
            env={**os.environ, "PYTHON": str(self.folder / "python-of-the-test")},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        started = self.start(*arguments)
        stdout, stderr = started.communicate(timeout=20)
        return subprocess.CompletedProcess(started.args, started.returncode, stdout, stderr)

    def asked(self) -> list[str]:
        notes = self.folder / "asked"
        asked = notes.read_text().splitlines() if notes.exists() else []
        notes.unlink(missing_ok=True)
        return [note.removeprefix("requirements/") for note in asked]


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    return Clone(tmp_path)


def test_a_set_is_installed_once(clone: Clone) -> None:
    assert clone.set_up("embedded") == ["venv", "embedded.txt"]
    assert clone.set_up("embedded") == []


def test_the_larger_set_is_added_to_the_smaller(clone: Clone) -> None:
    clone.set_up("embedded")

    assert clone.set_up("dev") == ["dev.txt"]
    assert clone.set_up("dev") == []


def test_the_larger_set_holds_the_smaller(clone: Clone) -> None:
    assert clone.set_up("dev") == ["venv", "dev.txt"]
    assert clone.set_up("embedded") == []


def test_targets_at_the_same_time_set_up_one_after_the_other(clone: Clone) -> None:
    """As started by `make -j`."""
    together = [clone.start("embedded") for _ in range(4)]

    assert [one.communicate(timeout=20)[1].count("error") for one in together] == [0] * 4
    assert clone.asked() == ["venv", "embedded.txt"]


@pytest.mark.parametrize("changed", ["embedded", "dev"])
def test_changed_requirements_make_it_anew(clone: Clone, changed: str) -> None:
    """Removed requirements must no longer be installed."""
    clone.set_up("dev")
    clone.require(changed, "three==3")

    assert clone.set_up("embedded") == ["venv", "embedded.txt"]
    assert clone.set_up("dev") == ["dev.txt"]


def test_a_set_that_is_not_installed_may_change(clone: Clone) -> None:
    clone.set_up("embedded")
    clone.require("dev", "three==3")

    assert clone.set_up("embedded") == []


def test_what_broke_off_is_made_anew(clone: Clone) -> None:
    clone.set_up("embedded")
    (clone.folder / "no-network").touch()

    failed = clone.run("dev")

    assert failed.returncode == 1
    assert "no network" in failed.stderr
    assert "the packages could not be installed" in failed.stderr
    clone.asked()
    (clone.folder / "no-network").unlink()
    assert clone.set_up("embedded") == ["venv", "embedded.txt"]


def test_a_broken_interpreter_is_replaced(clone: Clone) -> None:
    clone.set_up("embedded")
    (clone.folder / ".venv/bin/python").unlink()

    assert clone.set_up("embedded") == ["venv", "embedded.txt"]


@pytest.mark.parametrize("arguments", [[], ["runtime"]])
def test_an_unknown_set_is_refused(clone: Clone, arguments: list[str]) -> None:
    refused = clone.run(*arguments)

    assert refused.returncode == 1
    assert "usage" in refused.stderr
    assert clone.asked() == []
