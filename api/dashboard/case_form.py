"""Convert a saved case to and from its form fields."""

from collections.abc import Mapping
from typing import Final

from pydantic import JsonValue

from api.dashboard.post import Post
from api.dashboard.scenario_form import BLANK, fields_of_scenario, lines, scenario_in
from domain.cases.case import CaseExpectation, CaseSpec
from domain.core.errors import InvalidBody

_CHOSEN: Final = ("status", "reason", "classification", "intent", "most_money")
_LISTS: Final = ("sources", "contains", "omits")
_KINDS: Final = ("actions", "forbidden")

BLANK_CASE: Final[Mapping[str, str]] = {
    **BLANK,
    "case_name": "",
    "must": "on",
    "tries": "1",
    "pass_rate": "1",
    **dict.fromkeys((*_CHOSEN, *_LISTS), ""),
}


def fields_of_case(case: CaseSpec) -> dict[str, str]:
    """Return the form fields of a case."""
    return {
        **BLANK_CASE,
        **fields_of_scenario(case.scenario),
        **fields_of_expectation(case.expected),
        "case_name": case.name,
        "must": "on" if case.must else "",
        "tries": str(case.tries),
        "pass_rate": f"{case.pass_rate:g}",
    }


def fields_of_expectation(expected: CaseExpectation) -> dict[str, str]:
    """Return the form fields of a case's expectation. A list becomes a single field, with one line
    per value."""
    written = expected.model_dump(mode="json")
    fields = {name: written[name] or "" for name in _CHOSEN}
    fields |= {name: "\n".join(written[name]) for name in _LISTS}
    return fields | {f"{name}:{kind}": "on" for name in _KINDS for kind in written[name]}


def case_of_form(post: Post) -> dict[str, JsonValue]:
    """Return the entered case as unvalidated JSON. Raises InvalidBody if a field cannot be
    converted."""
    expected: dict[str, JsonValue] = {
        name: text for name in _CHOSEN if (text := post.text(name).strip())
    }
    for name in _LISTS:
        expected[name] = list[JsonValue](lines(post.text(name)))
    for name in _KINDS:
        expected[name] = list[JsonValue](sorted(post.chosen(name)))
    return {
        "name": post.text("case_name").strip(),
        "scenario": scenario_in(post),
        "expected": expected,
        "must": post.ticked("must"),
        "tries": _number(post, "tries"),
        "pass_rate": _number(post, "pass_rate"),
    }


def _number(post: Post, name: str) -> int | float:
    text = post.text(name).strip().replace(",", ".") or "1"
    try:
        number = float(text)
        return int(number) if number.is_integer() else number
    except (ValueError, OverflowError):
        raise InvalidBody(f"champ « {name} »") from None
