"""Records that a command creates can be listed, shown and removed with commands."""

from typing import Final, NamedTuple

import pytest
from typer.core import TyperGroup

import cli


class Verbs(NamedTuple):
    """The verbs of one noun. `away`: the verb that removes it; "erase": another command does."""

    make: str
    away: str
    show: str = "show"
    list: str = "list"


NOUNS: Final = {
    "client": Verbs("create", "erase"),  # with all its records, and a certificate
    "key": Verbs("create", "revoke"),  # the row is kept, because runs and the audit log refer to it
    "member": Verbs("add", "remove"),
    "playbook": Verbs("create", "delete"),
    "template": Verbs("create", "delete"),
    "knowledge": Verbs("create", "delete"),
    "case": Verbs("create", "delete"),
    "webhook": Verbs("create", "delete"),
    "integration": Verbs("connect", "disconnect"),
    "automation-event": Verbs("import", "delete"),
    # A ledger: another entry reverses an addition, and usage shows the balance.
    "credits": Verbs("add", "add", show="usage"),
}
# Records that are not created by a command, but can be shown.
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
