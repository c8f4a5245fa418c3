"""Checks whether cli.py accepts a command line from a document."""

from collections.abc import Sequence

from typer.core import TyperCommand, TyperGroup

import cli
from commands.core.lazy import LazyCommand


def check_command(arguments: Sequence[str]) -> None:
    """Fail if `cli.py ARGUMENTS` contains an unknown command or option."""
    command: object = cli.app
    rest = list(arguments)
    while isinstance(command, TyperGroup):
        assert rest, f"no command in {arguments}"
        if command.invoke_without_command and rest[0].startswith("-"):
            break
        name = rest.pop(0)
        assert name in command.commands, f"cli.py has no command {name}"
        command = command.commands[name]
        if isinstance(command, LazyCommand):
            command = command.chosen()
    assert isinstance(command, TyperCommand | TyperGroup)
    command.make_context(command.name, rest)
