"""Answers in a helpdesk: as a public message or a note, and none if human agents answer."""

import pytest

from domain.agent.brain import Category
from domain.agent.plan import ActionKind, StepOutcome, StepState
from domain.agent.policy import judge
from domain.agent.policy_decision import PolicyReason, left_to_people
from domain.agent.rulebook import ActionLevel, ActionRule, Rulebook
from domain.integrations.integration import Integration
from domain.integrations.providers import Provider
from tests.support.agent.policy_context import DESK, a_situation, an_event

BY_NOTE = DESK.model_copy(update={"answers_by_note": True})


@pytest.mark.parametrize(
    ("level", "planned"), [(ActionLevel.AUTONOMOUS, 1), (ActionLevel.NEVER, 0)]
)
def test_a_note_stands_in_for_the_reply_under_its_rule(level: ActionLevel, planned: int) -> None:
    rulebook = Rulebook(actions={ActionKind.REPLY_IN_HELPDESK: ActionRule(level=level)})
    policy_context = a_situation(event=an_event(), connections=(BY_NOTE,), rulebook=rulebook)

    judgement = judge(policy_context, Category.OTHER, ())

    assert len(judgement.plan) == planned
    for note in judgement.plan:
        assert (note.kind, note.ticket_id, note.text) == (ActionKind.NOTE, "T-1", "")
        assert note.says_the_answer
        assert not note.model_copy(update={"text": "Vu."}).says_the_answer


def test_how_answers_are_left_is_a_setting() -> None:
    for chosen in (None, "public", "note"):
        settings = {} if chosen is None else {"answer_as": chosen}
        one = Integration(id="i", provider=Provider.ZENDESK, settings=settings, sealed="s")
        assert one.answers_by_note is (chosen == "note")


def test_what_is_left_to_people() -> None:
    blocked = StepOutcome(
        kind=ActionKind.REPLY_IN_HELPDESK,
        state=StepState.BLOCKED,
        detail=PolicyReason.PEOPLE_ANSWER,
    )
    refunded = StepOutcome(kind=ActionKind.REFUND, state=StepState.DONE)
    assert left_to_people((blocked,))
    # Money was moved without an answer: a human must see it.
    assert not left_to_people((refunded, blocked))
    assert not left_to_people((refunded,))
