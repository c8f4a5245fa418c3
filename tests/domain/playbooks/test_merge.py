"""What an import changes in a client's playbooks, and how the change is named."""

import pytest

from domain.agent.plan import ActionKind
from domain.agent.procedure import Procedure
from domain.agent.rulebook import ActionLevel, ActionRule, Rulebook
from domain.playbooks.merge import ImportOutcome, compare
from domain.playbooks.playbook import Playbook, PlaybookEntry, PlaybookSpec

NEVER = {ActionKind.REFUND: ActionRule(level=ActionLevel.NEVER)}
ENTRY = PlaybookEntry(
    playbook=Playbook(id="P1", version=3, name="Shop", event_type="shopify.*", threshold=0.7),
    is_active=True,
    rulebook=Rulebook(actions=NEVER),
)


@pytest.mark.parametrize(
    ("change", "outcome", "version", "fields"),
    [
        ({}, ImportOutcome.UNCHANGED, 3, ()),
        ({"active": False}, ImportOutcome.SWITCHED, 3, ("active",)),
        ({"event_type": "*", "active": False}, ImportOutcome.CHANGED, 4, ("event_type", "active")),
        (
            {"threshold": 0.8, "rulebook": Rulebook(instructions="Be kind.", actions=NEVER)},
            ImportOutcome.CHANGED,
            4,
            ("threshold", "instructions"),
        ),
        (
            {"rulebook": Rulebook(actions=NEVER, procedure=Procedure(steps=("Greet.",)))},
            ImportOutcome.CHANGED,
            4,
            ("procedure",),
        ),
        (
            {"rulebook": Rulebook(actions=NEVER, shadow=True)},
            ImportOutcome.CHANGED,
            4,
            ("mode",),
        ),
        (
            {
                "rulebook": Rulebook(
                    actions={ActionKind.NOTE: ActionRule(level=ActionLevel.AUTONOMOUS)}
                )
            },
            ImportOutcome.CHANGED,
            4,
            ("actions.note", "actions.refund"),
        ),
    ],
)
def test_what_was_changed_is_named(
    change: dict[str, object], outcome: ImportOutcome, version: int, fields: tuple[str, ...]
) -> None:
    (done,) = compare([ENTRY], [ENTRY.spec.model_copy(update=change)], lambda: "P2")

    assert (done.outcome, done.entry.playbook.version) == (outcome, version)
    assert sorted(done.fields) == sorted(fields)


def test_a_new_one_has_no_changes() -> None:
    (done,) = compare([ENTRY], [PlaybookSpec(name="Mail", event_type="email.*")], lambda: "P2")

    assert (done.outcome, done.entry.playbook.id, done.fields) == (ImportOutcome.CREATED, "P2", ())
