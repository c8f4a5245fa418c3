"""Everything that users can do over HTTP or with commands has a page, or a reason why not."""

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.core import TyperGroup

import cli
from commands.core.lazy import LazyCommand
from tests.support.core.engine import LiveEngine
from tests.support.dashboard.page_list import page_routes

TABLE = tomllib.loads(Path(__file__).with_name("operations.toml").read_text())
NONE = "none: "


def _commands(command: object, name: str = "cli.py") -> Iterator[str]:
    if isinstance(command, LazyCommand):
        command = command.chosen()
    if isinstance(command, TyperGroup):
        for part, inner in command.commands.items():
            yield from _commands(inner, f"{name} {part}")
    else:
        yield name


def test_every_operation_has_its_line(front: LiveEngine) -> None:
    paths = front.app.openapi()["paths"]
    there = [f"{method.upper()} {path}" for path, methods in paths.items() for method in methods]

    assert {*TABLE["http"]} == {*there}


def test_every_command_has_its_line() -> None:
    assert {*TABLE["commands"]} == {*_commands(cli.app)}


@pytest.mark.parametrize("kind", ["http", "commands"])
def test_every_line_is_a_page_or_a_reason(kind: str) -> None:
    pages = {route.path for route in page_routes()}
    wrong = {
        name: said
        for name, said in TABLE[kind].items()
        if said not in pages and not (said.startswith(NONE) and len(said) > len(NONE) + 10)
    }

    assert wrong == {}
