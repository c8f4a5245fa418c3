"""CONTRIBUTING.md is correct: its files and names exist, and its recipes are complete.

Paths are read from the document, so that a moved file is changed in one place.
"""

import ast
import inspect
import re
from collections.abc import Iterator
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from domain.agent.plan import ON_ORDERS, ActionKind
from domain.integrations.providers import Provider
from tests.adapters.connectors.test_registry import CLASSES
from tests.support.core.forks import ROOT

DOC: Final = (ROOT / "CONTRIBUTING.md").read_text()
RECIPES: Final = {
    title: " ".join(text.split())
    for title, text in re.findall(
        r"^\*\*(an? [^*]+?)\.\*\*(.*?)(?=^\*\*|^#|\Z)", DOC, re.MULTILINE | re.DOTALL
    )
}
WITH_SYMBOLS: Final = (
    "an action",
    "an outbound event",
    "an API endpoint",
    "a connector",
    "a command",
    "an activity",
    "an error",
)
ROOMS: Final = (
    "domain",
    "store",
    "services",
    "adapters",
    "activities",
    "workflows",
    "api",
    "commands",
)
MOST_FILES: Final = 10


def marked(text: str) -> list[str]:
    without_blocks = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.findall(r"`([^`]+)`", without_blocks)


def paths(text: str) -> list[str]:
    """Return the paths in code spans: our files have a slash or an extension."""
    return [
        one for one in marked(text) if re.fullmatch(r"\w[\w./-]*/[\w.-]*|\w+\.(py|md|yml)", one)
    ]


def symbols(text: str) -> list[str]:
    plain = [one for one in marked(text) if re.fullmatch(r"[A-Za-z_]\w*(\.\w+)?", one)]
    return [one for one in plain if one not in paths(text)]


@cache
def defined(path: Path) -> frozenset[str]:
    """Return the names that a file defines, with class members, alone and dotted."""
    found: set[str] = set()
    for node in ast.parse(path.read_text()).body:
        for name in made_by(node):
            found.add(name)
        if isinstance(node, ast.ClassDef):
            members = {name for part in node.body for name in made_by(part)}
            found |= members | {f"{node.name}.{member}" for member in members}
    return frozenset(found)


def made_by(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        yield node.target.id
    elif isinstance(node, ast.Assign):
        yield from (target.id for target in node.targets if isinstance(target, ast.Name))


def modules(recipe: str) -> list[Path]:
    """Return the Python files that a recipe names, directly or by folder."""
    named = [ROOT / path for path in paths(recipe)]
    return [
        file
        for path in named
        for file in (path.glob("*.py") if path.is_dir() else [path])
        if file.suffix == ".py"
    ]


@cache
def names_by_file() -> dict[Path, frozenset[str]]:
    """Return what each product file names: `name.attribute`, and its string literals of several
    words. Read once, because a walk through all files for each member took two minutes."""
    files = (file for room in ROOMS for file in (ROOT / room).rglob("*.py"))
    return {
        file: frozenset(
            name for node in ast.walk(ast.parse(file.read_text())) for name in names_in(node)
        )
        for file in files
    }


def names_in(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        yield f"{node.value.id}.{node.attr}"
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and "_" in node.value:
        yield repr(node.value)


def naming(member: StrEnum) -> set[Path]:
    """Return the product files that name an enumeration member, by its class or its value.

    Only values of several words are searched for, because one word may occur in any text.
    """
    wanted = {f"{type(member).__name__}.{member.name}"}
    if "_" in member.value:
        wanted.add(repr(member.value))
    return {file for file, names in names_by_file().items() if names & wanted}


CONNECTORS: Final = {Path(inspect.getfile(connector)) for connector in CLASSES.values()}


@pytest.mark.parametrize("name", ["CONTRIBUTING.md", "README.md"])
def test_every_path_is_there(name: str) -> None:
    named = paths((ROOT / name).read_text())

    assert len(named) > 20
    assert [path for path in named if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("title", WITH_SYMBOLS)
def test_every_name_is_in_a_file_of_its_recipe(title: str) -> None:
    recipe = RECIPES[title]
    there = frozenset[str]().union(*(defined(path) for path in modules(recipe)))

    assert symbols(recipe)
    assert [name for name in symbols(recipe) if name not in there] == []


def test_every_module_to_run_is_there() -> None:
    run = re.findall(r"python -m ([\w.]+)", DOC)

    assert "scripts.webhook_schemas" in run
    for module in set(run) - {"pytest"}:
        assert (ROOT / f"{module.replace('.', '/')}.py").exists(), module


def test_an_action_is_added_in_few_files() -> None:
    assert len(set(paths(RECIPES["an action"]))) <= MOST_FILES


@pytest.mark.parametrize("kind", list(ActionKind))
def test_few_files_name_an_action(kind: ActionKind) -> None:
    assert 2 <= len(naming(kind)) <= MOST_FILES


@pytest.mark.parametrize("kind", sorted(ON_ORDERS))
def test_the_recipe_of_an_action_is_complete(kind: ActionKind) -> None:
    assert naming(kind) - CONNECTORS <= set(modules(RECIPES["an action"]))


@pytest.mark.parametrize("provider", list(Provider))
def test_the_recipe_of_a_connector_is_complete(provider: Provider) -> None:
    titles = ("a connector", "a platform for inbound webhooks")
    recipe = {file for title in titles for file in modules(RECIPES[title])}
    # An example of an event may name any provider.
    examples = set(modules(RECIPES["an outbound event"]))

    assert naming(provider) & recipe
    assert naming(provider) <= recipe | CONNECTORS | examples
