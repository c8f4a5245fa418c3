"""When a case passes, and when an outcome differs."""

from typing import Final

from domain.cases.case_run import CaseOutcome, is_enough, is_repeatable
from domain.simulation.outcome import OutcomeStatus
from tests.support.core.each import each

_EMBEDDED: Final = CaseOutcome(
    status=OutcomeStatus.COMPLETED, draft="Bonjour.", confidence=0.9, model="embedded:1"
)
_MODEL: Final = _EMBEDDED.model_copy(update={"model": "gpt"})


@each(
    [
        (1, 1, 1.0, True),
        (2, 3, 0.667, True),
        (2, 3, 0.66, True),
        (2, 3, 0.67, False),
        (9, 10, 1.0, False),
        (0, 10, 0.001, False),
        (0, 10, 0.0004, False),
        (1, 10, 0.0004, True),
    ]
)
def test_a_case_passes_by_its_share_of_tries(
    passes: int, tries: int, pass_rate: float, enough: bool
) -> None:
    assert is_enough(passes, tries, pass_rate) is enough


@each([("", True), ("rules", True), ("embedded:12ab", True), ("gpt-4.1", False)])
def test_only_a_language_model_is_asked_again(model: str, repeatable: bool) -> None:
    assert is_repeatable(model) is repeatable


@each(
    [
        (_EMBEDDED, {"confidence": 0.8, "cost_micros": 7}, False),
        (_EMBEDDED, {"status": "needs_review"}, True),
        (_EMBEDDED, {"sources": ("Retours",)}, True),
        (_EMBEDDED, {"draft": "Bonsoir."}, True),
        (_MODEL, {"draft": "Bonsoir."}, False),
        (_MODEL, {"classification": "other"}, True),
    ]
)
def test_what_makes_an_outcome_another_one(
    before: CaseOutcome, change: dict[str, object], differs: bool
) -> None:
    after = CaseOutcome.model_validate({**dict(before), **change})
    assert after.differs_from(before) is differs
