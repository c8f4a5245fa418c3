"""House rules that no other tool checks: file locations, names and lengths."""

import ast
from collections import defaultdict
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[1]
NOUNS: Final = frozenset(
    {
        "core",
        "intake",
        "inbound",
        "widget",
        "agent",
        "runs",
        "reviews",
        "webhooks",
        "billing",
        "playbooks",
        "content",
        "integrations",
        "tenants",
        "identity",
        "audit",
        "privacy",
        "exports",
        "analytics",
        "simulation",
        "cases",
        "learning",
        "ratings",
        "copilot",
        "customers",
        "dashboard",
    }
)
# Layers whose folders are nouns, each with its exceptions.
ROOMS: Final = {
    "domain": set[str](),
    "store": set[str](),
    "services": set[str](),
    "activities": {"runtime"},
    "api/routers": set[str](),
    "api/dashboard/routers": set[str](),
    "api/schemas": set[str](),
    "commands": set[str](),
    "tests/domain": set[str](),
    "tests/store": set[str](),
    "tests/services": set[str](),
    "tests/activities": {"runtime"},
    "tests/api": {"http", "mcp"},
    "tests/commands": set[str](),
    "tests/e2e": set[str](),
    "tests/support": {"servers"},
}
PRODUCT: Final = (
    "domain",
    "store",
    "services",
    "adapters",
    "activities",
    "workflows",
    "workers",
    "api",
    "commands",
    "embedded",
    "demo",
    "settings",
    "evaluation",
    "training",
    "bench",
    "scripts",
)
# Files that a noun's folder may contain in every layer.
SHARED_NAMES: Final = frozenset(
    {"__init__.py", "errors.py", "contracts.py", "ports.py", "tables.py", "conftest.py"}
)
LONGEST_FILE: Final = 500
_QUADRATIC: Final = frozenset({"normalize", "is_normalized"})


def python_files(*folders: str) -> list[Path]:
    return sorted(file for folder in folders for file in (ROOT / folder).rglob("*.py"))


@pytest.mark.parametrize("room", ROOMS)
def test_folders_of_a_room_are_nouns(room: str) -> None:
    folders = {path.parent.name for path in (ROOT / room).glob("*/*.py")}

    assert folders
    assert folders <= NOUNS | ROOMS[room]


@pytest.mark.parametrize("room", ["domain", "store", "services", "activities", "commands"])
def test_no_file_lies_beside_the_nouns(room: str) -> None:
    beside = {path.name for path in (ROOT / room).glob("*.py")} - {"__init__.py"}

    assert beside <= ({"metadata.py"} if room == "store" else set())


@pytest.mark.parametrize("room", [*ROOMS, "adapters", "workflows", "embedded", "demo", "bench"])
def test_a_file_name_is_found_once_in_a_room(room: str) -> None:
    places = defaultdict(list)
    for file in python_files(room):
        if file.name not in SHARED_NAMES:
            places[file.name].append(str(file.relative_to(ROOT)))

    assert places
    assert [where for where in places.values() if len(where) > 1] == []


def test_a_public_class_name_is_found_once() -> None:
    places = defaultdict(list)
    for file in [*python_files(*PRODUCT), ROOT / "worker.py", ROOT / "cli.py"]:
        for node in ast.parse(file.read_text()).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(str(file.relative_to(ROOT)))

    assert len(places) > 300
    assert {name: where for name, where in places.items() if len(where) > 1} == {}


def test_no_file_is_too_long() -> None:
    lengths = {
        str(file.relative_to(ROOT)): len(file.read_text().splitlines())
        for file in [*python_files(*PRODUCT, "tests"), *ROOT.glob("*.py")]
    }

    assert len(lengths) > 500
    assert {name: lines for name, lines in lengths.items() if lines > LONGEST_FILE} == {}


def test_only_one_module_normalizes_unicode() -> None:
    """Python sorts a run of combining marks in quadratic time, and holds the GIL meanwhile.
    `normalized` in `domain/core/text.py` takes linear time."""
    users = {
        str(file.relative_to(ROOT))
        for file in [*python_files(*PRODUCT), *ROOT.glob("*.py")]
        if any(map(_normalizes, ast.walk(ast.parse(file.read_text()))))
    }

    assert users == {"domain/core/text.py"}


def _normalizes(node: ast.AST) -> bool:
    match node:
        case ast.Attribute(value=ast.Name(id="unicodedata"), attr=name):
            return name in _QUADRATIC
        case ast.ImportFrom(module="unicodedata", names=names):
            return any(one.name in {*_QUADRATIC, "*"} for one in names)
        case ast.Import(names=names):
            return any(one.name == "unicodedata" and one.asname for one in names)
        case _:
            return False
