"""Commands are registered by name and help, and imported when they run."""

from inspect import cleandoc

import pytest
from typer.core import TyperGroup

import cli
from commands.core.lazy import LazyCommand


@pytest.mark.parametrize("command", cli.COMMANDS, ids=lambda command: command.name)
def test_the_list_of_all_says_what_the_command_says_of_itself(command: LazyCommand) -> None:
    chosen = command.chosen()
    said = cleandoc(chosen.help or "").partition("\n\n")[0]
    assert command.help == " ".join(said.split())
    # A group's own name comes from the list.
    assert isinstance(chosen, TyperGroup) or chosen.name == command.name
