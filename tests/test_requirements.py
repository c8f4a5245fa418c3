"""Each requirements file contains the previous one, and production code imports nothing else."""

import ast
import re
import sys
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parent.parent
REQUIREMENTS: Final = ROOT / "requirements"
SETS: Final = ("runtime", "embedded", "otel", "dev")
SMALLER_AND_LARGER: Final = (
    ("runtime", "embedded"),
    ("embedded", "dev"),
    ("runtime", "otel"),
    ("otel", "dev"),
)
# What `make run` and `make demo` start beside the product, and `make eval`.
WITH_EMBEDDED: Final = ("embedded", "demo", "evaluation")
DEVELOPMENT: Final = ("tests", "training", "bench")
DISTRIBUTIONS: Final = packages_distributions()


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def pins(requirements: str) -> set[str]:
    """Return the lines `name==version` of a file, with their markers."""
    lines = (REQUIREMENTS / f"{requirements}.txt").read_text().splitlines()
    return {line.removesuffix("\\").strip() for line in lines if "==" in line and line[0] != " "}


def installed(requirements: str) -> set[str]:
    return {normal(pin.split("==")[0].split("[")[0]) for pin in pins(requirements)}


def imported(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.split(".")[0]


def strangers(files: list[Path]) -> dict[str, str]:
    """Return the third-party modules that files import, each with one importing file."""
    ours = {path.stem for path in ROOT.iterdir() if path.is_dir() or path.suffix == ".py"}
    return {
        module: str(file.relative_to(ROOT))
        for file in files
        for module in imported(file)
        if module not in ours and module not in sys.stdlib_module_names
    }


def files_of(*, embedded: bool) -> list[Path]:
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {*DEVELOPMENT, "scripts"}
    wanted = packages & {*WITH_EMBEDDED} if embedded else packages - {*WITH_EMBEDDED}
    inside = [file for package in sorted(wanted) for file in (ROOT / package).rglob("*.py")]
    return inside if embedded else [*inside, *ROOT.glob("*.py")]


@pytest.mark.parametrize(("smaller", "larger"), SMALLER_AND_LARGER)
def test_a_set_holds_the_one_before_it(smaller: str, larger: str) -> None:
    """scripts/setup.sh can therefore add a larger file to a smaller one."""
    assert pins(smaller)
    assert pins(smaller) < pins(larger)


@pytest.mark.parametrize(
    ("requirements", "embedded"), [("runtime", False), ("embedded", True)], ids=SETS[:2]
)
def test_what_runs_imports_only_what_is_installed_for_it(requirements: str, embedded: bool) -> None:
    modules = strangers(files_of(embedded=embedded))

    known = installed(requirements)
    missing = {
        module: file
        for module, file in modules.items()
        if not known & {normal(name) for name in DISTRIBUTIONS.get(module, [])}
    }
    assert len(modules) >= 5
    assert missing == {}


@pytest.mark.parametrize("requirements", [*SETS, "sdk", "docs"])
def test_nothing_tells_where_packages_come_from(requirements: str) -> None:
    text = (REQUIREMENTS / f"{requirements}.txt").read_text()

    assert re.findall(r"://|^\s*--(?!hash=)\S+|^/.*", text, re.MULTILINE) == []
