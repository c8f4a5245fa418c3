"""make new: its files pass the checks, fail until they are completed, and overwrite nothing."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from scripts.new_use_case import LONGEST_NAME, Refused, lay
from tests.support.core import collector, deadlines

ROOT: Final = Path(__file__).resolve().parents[2]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of this project without its use cases and their tests."""
    for room in ("domain", "store"):
        (tmp_path / room).symlink_to(ROOT / room)
    plugins = [Path(str(module.__file__)).relative_to(ROOT) for module in (collector, deadlines)]
    packages = [folder / "__init__.py" for folder in plugins[0].parents[:-1]]
    for file in (Path("services/__init__.py"), Path("pyproject.toml"), *plugins, *packages):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_bytes((ROOT / file).read_bytes())
    shutil.copytree(ROOT / "services" / "core", tmp_path / "services" / "core")
    return tmp_path


def run(project: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *command],
        cwd=project,
        env={**os.environ, "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_the_files_of_a_use_case(project: Path) -> None:
    assert [str(path) for path in lay("integrations", "pause_subscription", project)] == [
        "services/integrations/__init__.py",
        "services/integrations/pause_subscription.py",
        "tests/services/__init__.py",
        "tests/services/integrations/__init__.py",
        "tests/services/integrations/test_pause_subscription.py",
    ]


def test_a_second_use_case_leaves_the_first_alone(project: Path) -> None:
    first, *_ = lay("integrations", "pause_subscription", project)
    (project / first).write_text('"""Changed."""\n')

    assert [str(path) for path in lay("integrations", "end_pause", project)] == [
        "services/integrations/end_pause.py",
        "tests/services/integrations/test_end_pause.py",
    ]
    assert (project / first).read_text() == '"""Changed."""\n'


@pytest.mark.parametrize("name", ["pause", "a" * LONGEST_NAME, "replace_the_signing_secret_now"])
def test_what_is_laid_passes_the_checks(project: Path, name: str) -> None:
    lay("integrations", name, project)

    linted = run(project, "ruff", "check", "--no-cache", "services", "tests")
    formatted = run(project, "ruff", "format", "--no-cache", "--check", "services", "tests")

    assert linted.returncode == 0, linted.stdout
    assert formatted.returncode == 0, formatted.stdout


def test_its_tests_fail_and_say_what_is_to_be_written(project: Path) -> None:
    lay("integrations", "pause_subscription", project)

    tested = run(project, "pytest", "-q", "-p", "no:cacheprovider", "tests/services")

    assert tested.returncode == 1, tested.stdout + tested.stderr
    assert "2 failed" in tested.stdout
    assert "pause_subscription: write here who is refused" in tested.stdout


@pytest.mark.parametrize("noun", ["integration", "", "../integrations", "Integrations"])
def test_an_unknown_noun_is_refused_with_those_there_are(project: Path, noun: str) -> None:
    with pytest.raises(Refused, match=r"one of: agent, analytics, .* webhooks, widget$"):
        lay(noun, "pause_subscription", project)


@pytest.mark.parametrize(
    "name", ["", "PauseSubscription", "pause-it", "_pause", "1st", "import", "a" * 31]
)
def test_a_name_that_is_none_is_refused(project: Path, name: str) -> None:
    with pytest.raises(Refused, match="NAME"):
        lay("integrations", name, project)


def test_what_is_there_is_not_written_over(project: Path) -> None:
    lay("integrations", "pause_subscription", project)

    with pytest.raises(Refused, match=r"services/integrations/pause_subscription\.py already"):
        lay("integrations", "pause_subscription", project)


def test_the_command_says_what_is_wrong() -> None:
    refused = run(ROOT, "scripts.new_use_case", "nothing", "pause_subscription")

    assert refused.returncode == 1
    assert refused.stderr.startswith("error: NOUN must be one of: ")
