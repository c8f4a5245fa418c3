"""Whether a command line of cli.py, as a file writes it, would be understood."""

from collections.abc import Sequence

import typer.main
from typer.core import TyperCommand, TyperGroup

import cli


def check_command(arguments: Sequence[str]) -> None:
    """Fails if `cli.py ARGUMENTS` names a command or option that is not there."""
    command = typer.main.get_command(cli.app)
    rest = list(arguments)
    while isinstance(command, TyperGroup):
        assert rest, f"no command in {arguments}"
        if command.invoke_without_command and rest[0].startswith("-"):
            break
        name = rest.pop(0)
        assert name in command.commands, f"cli.py has no command {name}"
        command = command.commands[name]
    assert isinstance(command, TyperCommand | TyperGroup)
    command.make_context(command.name, rest)
