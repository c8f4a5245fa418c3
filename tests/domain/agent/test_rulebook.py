"""The rulebook: its defaults, and rules that are rejected on input."""

import pytest

from domain.agent.plan import ActionKind
from domain.agent.rulebook import ActionLevel, ActionRule, MoneyLimits, Rulebook, problem

LIMITED = MoneyLimits(currency="EUR", per_action=100)
BY_DAY = MoneyLimits(currency="EUR", per_day=100)


def test_without_a_rule_the_agent_answers_and_does_nothing_else() -> None:
    allowed = {kind for kind in ActionKind if Rulebook().rule(kind).level is not ActionLevel.NEVER}

    assert allowed == {
        ActionKind.REPLY, ActionKind.REPLY_BY_EMAIL, ActionKind.REPLY_IN_HELPDESK,
    }  # fmt: skip


@pytest.mark.parametrize("kind", [ActionKind.REFUND, ActionKind.CANCEL_ORDER])
def test_money_moves_by_itself_up_to_a_sum_only(kind: ActionKind) -> None:
    assert problem(kind, ActionRule(level=ActionLevel.AUTONOMOUS)) is not None
    assert problem(kind, ActionRule(level=ActionLevel.AUTONOMOUS, limits=BY_DAY)) is not None
    assert problem(kind, ActionRule(level=ActionLevel.AUTONOMOUS, limits=LIMITED)) is None
    assert problem(kind, ActionRule(level=ActionLevel.HUMAN_APPROVED)) is None


@pytest.mark.parametrize(
    ("kind", "rule"),
    [
        (ActionKind.NOTE, ActionRule(level=ActionLevel.AUTONOMOUS, limits=LIMITED)),
        (ActionKind.REPLY, ActionRule(level=ActionLevel.AUTONOMOUS, within_days=3)),
        (ActionKind.NOTE, ActionRule(level=ActionLevel.AUTONOMOUS, tags=("vip",))),
        (ActionKind.TAG, ActionRule(level=ActionLevel.AUTONOMOUS)),
    ],
)
def test_rules_that_say_nothing_of_their_action_are_refused(
    kind: ActionKind, rule: ActionRule
) -> None:
    assert problem(kind, rule) is not None
