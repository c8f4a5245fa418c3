"""A long answer costs no more than its length, since an answer is read on an event loop."""

import pytest

from domain.agent.consent.answer_text import AnswerRun
from domain.agent.consent.answering import read_confirmation
from domain.agent.consent.confirmation import Assent
from domain.agent.plan import ActionKind, PlannedAction
from domain.core.money import Money

REFUND = PlannedAction(
    kind=ActionKind.REFUND, order_number="1043", amount=Money(minor=4900, currency="EUR")
)


def test_no_run_is_compared_with_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand runs were a million comparisons."""

    def compared(self: AnswerRun, other: object) -> bool:
        raise AssertionError("runs are compared")

    monkeypatch.setattr(AnswerRun, "__eq__", compared)
    assert read_confirmation("a," * 1_000, (), REFUND).assent is Assent.OTHER
