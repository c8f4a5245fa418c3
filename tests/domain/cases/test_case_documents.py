"""Case files: strict parsing, errors with paths, and round trips."""

from copy import deepcopy
from typing import Any, Final

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from domain.cases.case import CaseExpectation, CaseSpec
from domain.cases.case_documents import parse_cases, write_cases
from domain.cases.errors import InvalidCases
from domain.simulation.scenario import Scenario, ScenarioMessage
from tests.support.core.each import each

_TEXT: Final = st.text(alphabet="abcé :#-'\"{}[]0,\n", min_size=1, max_size=30).filter(str.strip)
_SPECS: Final = st.lists(
    st.builds(
        CaseSpec,
        name=st.from_regex(r"[a-zé]{1,8}( [a-z:#]{1,8})?", fullmatch=True),
        scenario=st.builds(
            Scenario,
            messages=st.lists(st.builds(ScenarioMessage, text=_TEXT), min_size=1, max_size=3).map(
                tuple
            ),
        ),
        expected=st.builds(
            CaseExpectation,
            contains=st.lists(_TEXT, max_size=2).map(tuple),
            most_money=st.sampled_from([None, "49.00"]),
        ),
        must=st.booleans(),
        tries=st.integers(1, 10),
        pass_rate=st.sampled_from([1.0, 0.5]),
    ),
    max_size=3,
    unique_by=lambda spec: spec.name,
)


@given(_SPECS)
def test_what_is_written_is_read_again(specs: list[CaseSpec]) -> None:
    assert list(parse_cases(write_cases(specs).encode())) == specs


_CASE: Final[dict[str, Any]] = {
    "name": "a",
    "scenario": {"messages": [{"text": "Bonjour"}]},
    "expected": {},
}


@each(
    [
        ({"tries": "3"}, "cases[0].tries: a whole number expected"),
        ({"must": "yes"}, "cases[0].must: true or false expected"),
        ({"colour": 1}, "cases[0].colour: there is no such key"),
        ({"expected": {"actions": ["dance"]}}, "cases[0].expected.actions[0]: 'reply'"),
        ({"expected": {"most_money": 49.0}}, "cases[0].expected.most_money: a text expected"),
        ({"name": "a "}, "cases[0].name: one line without blanks around it"),
        ({"scenario": {"messages": []}}, "cases[0].scenario.messages: at least 1 expected"),
        (
            {"scenario": {"messages": [{"text": "a"}, {"text": "b", "author": "human"}]}},
            "cases[0].scenario: messages: the last one is the customer's",
        ),
        (
            {"expected": {"actions": ["refund"], "forbidden": ["refund"]}},
            "cases[0].expected.forbidden: refund is expected too",
        ),
    ]
)
def test_what_is_wrong_is_named_by_its_path(change: dict[str, Any], problem: str) -> None:
    text = yaml.safe_dump({"version": 1, "cases": [{**_CASE, **change}]})
    with pytest.raises(InvalidCases) as refused:
        parse_cases(text.encode())
    assert refused.value.problems[0].startswith(problem), refused.value.problems


def test_a_name_that_comes_twice_and_what_is_no_yaml() -> None:
    twice = yaml.safe_dump({"version": 1, "cases": [_CASE, deepcopy(_CASE)]})
    for text, problem in (
        (twice, "cases[1].name: another one of this file has it"),
        ("version: [", "not valid YAML: line "),
        ("a", "the file: keys and values expected"),
    ):
        with pytest.raises(InvalidCases) as refused:
            parse_cases(text.encode())
        assert refused.value.problems[0].startswith(problem), refused.value.problems
