"""What an import changes of a client's playbooks, and how it is named."""

import pytest

from domain.plan import ActionKind
from domain.playbook import Playbook, PlaybookEntry, PlaybookSpec
from domain.playbook_import import Outcome, compare
from domain.rulebook import ActionRule, Level, Rulebook

NEVER = {ActionKind.REFUND: ActionRule(level=Level.NEVER)}
ENTRY = PlaybookEntry(
    playbook=Playbook(id="P1", version=3, name="Shop", event_type="shopify.*", threshold=0.7),
    is_active=True,
    rulebook=Rulebook(actions=NEVER),
)


@pytest.mark.parametrize(
    ("change", "outcome", "version", "fields"),
    [
        ({}, Outcome.UNCHANGED, 3, ()),
        ({"active": False}, Outcome.SWITCHED, 3, ("active",)),
        ({"event_type": "*", "active": False}, Outcome.CHANGED, 4, ("event_type", "active")),
        (
            {"threshold": 0.8, "rulebook": Rulebook(instructions="Be kind.", actions=NEVER)},
            Outcome.CHANGED,
            4,
            ("threshold", "instructions"),
        ),
        (
            {"rulebook": Rulebook(actions={ActionKind.NOTE: ActionRule(level=Level.AUTONOMOUS)})},
            Outcome.CHANGED,
            4,
            ("actions.note", "actions.refund"),
        ),
    ],
)
def test_what_was_changed_is_named(
    change: dict[str, object], outcome: Outcome, version: int, fields: tuple[str, ...]
) -> None:
    (done,) = compare([ENTRY], [ENTRY.spec.model_copy(update=change)], lambda: "P2")

    assert (done.outcome, done.entry.playbook.version) == (outcome, version)
    assert sorted(done.fields) == sorted(fields)


def test_a_new_one_has_no_changes() -> None:
    (done,) = compare([ENTRY], [PlaybookSpec(name="Mail", event_type="email.*")], lambda: "P2")

    assert (done.outcome, done.entry.playbook.id, done.fields) == (Outcome.CREATED, "P2", ())
