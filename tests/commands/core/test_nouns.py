"""What can be made by a command can be listed, shown and taken away by one."""

from typing import Final, NamedTuple

import pytest
from typer.core import TyperGroup

import cli


class Verbs(NamedTuple):
    """Of one noun. `away`: what takes it away; "erase": another command does."""

    make: str
    away: str
    show: str = "show"
    list: str = "list"


NOUNS: Final = {
    "client": Verbs("create", "erase"),  # with all that is its, certified
    "key": Verbs("create", "revoke"),  # the row stays: runs and the audit log name it
    "member": Verbs("add", "remove"),
    "playbook": Verbs("create", "delete"),
    "template": Verbs("create", "delete"),
    "knowledge": Verbs("create", "delete"),
    "case": Verbs("create", "delete"),
    "webhook": Verbs("create", "delete"),
    "integration": Verbs("connect", "disconnect"),
    "automation-event": Verbs("import", "delete"),
    # A ledger: what was added is taken away by another entry, and usage shows the balance.
    "credits": Verbs("add", "add", show="usage"),
}
# What is not made by a command, and is looked at.
LOOKED_AT: Final = ("erase", "errors", "review", "run")
_MAKING: Final = {"add", "connect", "create", "import"}


def _groups() -> dict[str, TyperGroup]:
    chosen = {str(one.name): one.chosen() for one in cli.COMMANDS}
    return {name: one for name, one in chosen.items() if isinstance(one, TyperGroup)}


def test_each_group_that_makes_something_is_known_here() -> None:
    making = {name for name, group in _groups().items() if _MAKING & group.commands.keys()}
    assert making == NOUNS.keys()


@pytest.mark.parametrize("noun", NOUNS)
def test_what_is_made_can_be_listed_shown_and_taken_away(noun: str) -> None:
    known = {*_groups()[noun].commands, *(one.name for one in cli.COMMANDS)}
    assert {*NOUNS[noun]} <= known


@pytest.mark.parametrize("noun", LOOKED_AT)
def test_what_is_listed_can_be_shown(noun: str) -> None:
    assert {"list", "show"} <= _groups()[noun].commands.keys()
