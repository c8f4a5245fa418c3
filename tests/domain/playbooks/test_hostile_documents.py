"""Documents of members with more values or more problems than a playbook or case can have."""

import time
from collections.abc import Callable

import pytest
from pydantic import JsonValue

from domain.agent.intent import Intent
from domain.cases.case_documents import case_in, cases_in
from domain.cases.errors import InvalidCases
from domain.playbooks.errors import InvalidPlaybook
from domain.playbooks.file import draft_in, playbooks_in
from domain.playbooks.shape import PlaybookShape

SECONDS = 0.1
# A YAML document has at most 50,000 nodes.
MANY = 50_000
BASE: dict[str, JsonValue] = {"name": "x", "event_type": "email.*"}


def refund(**rule: JsonValue) -> dict[str, JsonValue]:
    return {**BASE, "actions": {"refund": {"level": "auto", **rule}}}


def keys(number: int) -> dict[str, JsonValue]:
    return {f"a{one}": 1 for one in range(number)}


PLAYBOOKS: dict[str, dict[str, JsonValue]] = {
    "intents": refund(intents=["a"] * MANY),
    "known intents": refund(intents=[Intent.TRACK_ORDER] * MANY),
    "categories": refund(categories=["a"] * MANY),
    "tags": refund(tags=[""] * MANY),
    "keys of a rule": refund(**keys(MANY)),
    "keys of limits": refund(limits=keys(MANY)),
    "actions": {**BASE, "actions": {name: {"level": "auto"} for name in keys(MANY)}},
    "keys": {**BASE, **keys(MANY)},
}


def refused(error: type[Exception], read: Callable[[], object]) -> str:
    """Return the message of the error that `read` raises within a short time."""
    started = time.process_time()
    with pytest.raises(error) as raised:
        read()
    assert time.process_time() - started < SECONDS
    return str(raised.value)


@pytest.mark.parametrize("document", PLAYBOOKS.values(), ids=PLAYBOOKS)
def test_a_playbook_of_too_many_values_is_refused_at_once(document: dict[str, JsonValue]) -> None:
    refused(InvalidPlaybook, lambda: draft_in(document))
    refused(InvalidPlaybook, lambda: playbooks_in({"version": 1, "playbooks": [document]}))


def test_the_place_of_too_many_values_is_named() -> None:
    said = refused(InvalidPlaybook, lambda: draft_in(refund(intents=["a"] * 500)))
    assert said.startswith("actions.refund.intents: at most ")
    said = refused(
        InvalidPlaybook,
        lambda: playbooks_in({"version": 1, "playbooks": [refund(limits=keys(500))]}),
    )
    assert said.startswith("playbooks[0].actions.refund.limits: at most ")


@pytest.mark.parametrize("one", [{}, "", keys(200), keys(40), refund(**keys(40))])
def test_a_file_of_invalid_playbooks_stops_at_the_first_problems(one: JsonValue) -> None:
    many: JsonValue = [one] * (MANY // 50)
    refused(InvalidPlaybook, lambda: playbooks_in({"version": 1, "playbooks": many}))
    said = refused(InvalidPlaybook, lambda: playbooks_in({"version": 1, "playbooks": [one] * 200}))
    assert len(said.splitlines()) <= 11


CASE: dict[str, JsonValue] = {"name": "x", "scenario": {"messages": [{"text": "a"}]}}
CASES: dict[str, dict[str, JsonValue]] = {
    "messages": {**CASE, "scenario": {"messages": [1] * MANY}},
    "items": {**CASE, "scenario": {"messages": [], "order": {"items": [1] * MANY}}},
    "fields": {**CASE, "scenario": {"messages": [], "fields": {"1": "a", **keys(MANY)}}},
    "phrases": {**CASE, "expected": {"contains": [""] * MANY}},
    "actions": {**CASE, "expected": {"actions": ["a"] * MANY}},
    "keys": {**CASE, **keys(MANY)},
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_case_of_too_many_values_is_refused_at_once(case: dict[str, JsonValue]) -> None:
    refused(InvalidCases, lambda: case_in(case))
    refused(InvalidCases, lambda: cases_in({"version": 1, "cases": [case]}))


def test_a_file_of_invalid_cases_stops_at_the_first_problems() -> None:
    bad: JsonValue = {**CASE, "expected": {"contains": [""] * 200}}
    for one in (bad, {}, ""):
        said = refused(InvalidCases, lambda one=one: cases_in({"version": 1, "cases": [one] * 200}))  # type: ignore[misc]
        assert len(said.splitlines()) <= 11


def test_the_shape_bounds_each_list() -> None:
    rule = PlaybookShape.model_json_schema()["$defs"]["_Action"]["properties"]
    assert {name for name, one in rule.items() if one.get("type") == "array"} == {
        name for name, one in rule.items() if "maxItems" in one
    }
