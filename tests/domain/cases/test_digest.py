"""The inputs for which a verdict on a case is valid."""

from domain.agent.plan import ActionKind
from domain.agent.rulebook import ActionLevel, ActionRule, Rulebook
from domain.cases.case import CaseExpectation, CaseSpec
from domain.cases.digest import verdict_digest
from domain.playbooks.playbook import PlaybookSpec
from domain.simulation.outcome import OutcomeStatus
from domain.simulation.scenario import Scenario, ScenarioMessage
from tests.support.core.each import each

_SPEC = PlaybookSpec(name="a", event_type="*")
_CASE = CaseSpec(
    name="case",
    scenario=Scenario(messages=(ScenarioMessage(text="Bonjour"),)),
    expected=CaseExpectation(status=OutcomeStatus.COMPLETED),
)
_RULES = Rulebook(actions={ActionKind.REPLY: ActionRule(level=ActionLevel.HUMAN_APPROVED)})
_NOW = verdict_digest(_SPEC, b"content", "model", _CASE)


def test_the_digests_of_earlier_versions_stay() -> None:
    assert _NOW.hex() == ("5b54c72c2f344b49c987091acb9fbe0001cfa13d0f2a5e84e789ca0aade42007")


@each(
    [
        (_SPEC.model_copy(update={"threshold": 0.71}), b"content", "model", _CASE),
        (_SPEC.model_copy(update={"rulebook": _RULES}), b"content", "model", _CASE),
        (None, b"content", "model", _CASE),
        (_SPEC, b"other", "model", _CASE),
        (_SPEC, b"content", "other", _CASE),
        (_SPEC, b"content", "model", _CASE.model_copy(update={"tries": 2})),
        (_SPEC, b"content", "model", _CASE.model_copy(update={"pass_rate": 0.5})),
        (_SPEC, b"content", "model", _CASE.model_copy(update={"expected": CaseExpectation()})),
    ]
)
def test_another_digest(spec: PlaybookSpec, content: bytes, model: str, case: CaseSpec) -> None:
    assert verdict_digest(spec, content, model, case) != _NOW


@each(
    [
        ({"name": "b"}, {}),
        ({"active": False}, {}),
        ({"event_type": "shopify.*"}, {}),
        ({}, {"name": "renamed"}),
        ({}, {"must": False}),
    ]
)
def test_the_same_digest(spec: dict[str, object], case: dict[str, object]) -> None:
    """An input that does not affect thinking does not invalidate a verdict."""
    changed, renamed = _SPEC.model_copy(update=spec), _CASE.model_copy(update=case)
    assert verdict_digest(changed, b"content", "model", renamed) == _NOW


def test_the_order_of_rules_says_nothing() -> None:
    """A rulebook read from a file equals the same one from the database."""
    kinds = (ActionKind.REPLY, ActionKind.NOTE)
    rule = ActionRule(level=ActionLevel.AUTONOMOUS)
    one, other = (
        _SPEC.model_copy(update={"rulebook": Rulebook(actions=dict.fromkeys(order, rule))})
        for order in (kinds, kinds[::-1])
    )
    assert verdict_digest(one, b"", "", _CASE) == verdict_digest(other, b"", "", _CASE)
