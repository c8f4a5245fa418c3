"""YAML has JSON's types, and its parsing cost is bounded."""

import math
import sys

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from domain.core.errors import InvalidInput
from domain.core.plain_text import without_controls
from domain.core.strict_yaml import MAX_DIGITS, MAX_NODES, read_yaml, write_list, write_yaml
from tests.support.core.hostile_yaml import SHAPES, fragments

# Without control characters, like everything that the product writes to a file.
TEXTS = st.text().map(without_controls)
NUMBERS = st.integers(-(10**MAX_DIGITS) + 1, 10**MAX_DIGITS - 1) | st.floats(
    allow_nan=False, allow_infinity=False
)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=20,
)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("1", 1),
        ("-12", -12),
        ("0.8", 0.8),
        (".5", 0.5),
        ("1e3", 1000.0),
        ("true", True),
        ("yes", True),
        ("on", True),
        ("No", False),
        ("OFF", False),
        ("~", None),
        ("", None),
        # Values that YAML 1.1 would interpret differently.
        ("1:30", "1:30"),
        ("190:20:30.15", "190:20:30.15"),
        ("010", "010"),
        ("0x1F", "0x1F"),
        ("0b101", "0b101"),
        ("1_000", "1_000"),
        (".inf", ".inf"),
        (".nan", ".nan"),
        ("1e999", "1e999"),
        ("2026-01-01", "2026-01-01"),
        ("2026-01-01T10:00:00Z", "2026-01-01T10:00:00Z"),
        ("=", "="),
        ("9" * MAX_DIGITS, 10**MAX_DIGITS - 1),
        ("9" * (MAX_DIGITS + 1), "9" * (MAX_DIGITS + 1)),
        ("0." + "9" * 60, "0." + "9" * 60),
    ],
)
def test_what_a_scalar_is(written: str, value: JsonValue) -> None:
    read = read_yaml(f"key: {written}")

    assert read == {"key": value}
    assert isinstance(read, dict)
    assert type(read["key"]) is type(value)


@pytest.mark.parametrize(
    "tagged",
    [
        "!!int 1:30",
        "!!int 0x1F",
        "!!int " + "9" * 19,
        "!!int " + "1:" * 100_000 + "1",
        "!!float .inf",
        "!!float 1:30.5",
        "!!bool 1",
        "!!timestamp 2026-01-01",
        "!!binary aGk=",
        "!!set {a}",
        "!!omap [a: 1]",
        "!!pairs [a: 1]",
        "!!merge a",
        "!!map [a]",
        "!!seq {a: 1}",
        "!!python/name:os.system x",
        "&a 1",
    ],
)
def test_what_is_refused(tagged: str) -> None:
    with pytest.raises(InvalidInput):
        read_yaml(f"key: {tagged}")


def test_as_many_keys_and_values_as_may_be() -> None:
    most = "[" + "1," * (MAX_NODES - 1) + "]"
    assert read_yaml(most) == [1] * (MAX_NODES - 1)

    with pytest.raises(InvalidInput, match=f"more than {MAX_NODES} keys and values"):
        read_yaml("[" + "1," * MAX_NODES + "]")


@given(VALUES)
def test_what_is_written_is_read_back(value: JsonValue) -> None:
    assert read_yaml(write_yaml(value)) == value


@given(fragments())
@settings(max_examples=300)
def test_any_text_is_read_or_refused(text: str) -> None:
    """Only InvalidInput is raised, and the result is JSON."""
    try:
        value = read_yaml(text)
    except InvalidInput:
        return
    assert _is_json(value)


@pytest.mark.parametrize("shape", SHAPES)
def test_calls_grow_with_the_size_and_not_faster(shape: str) -> None:
    """The work is counted, not timed, as for hostile emails."""
    _calls(SHAPES[shape](2_000))

    once, twice, four_times = (_calls(SHAPES[shape](size)) for size in (8_000, 16_000, 32_000))

    assert twice <= 2.25 * once + 2_000
    assert four_times <= 4.5 * once + 4_000


def _calls(text: str) -> int:
    made = 0

    def count(_frame: object, kind: str, _argument: object) -> None:
        nonlocal made
        made += kind in {"call", "c_call"}

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        read_yaml(text)
    except InvalidInput:
        pass
    finally:
        sys.setprofile(before)
    return made


def _is_json(value: JsonValue) -> bool:
    match value:
        case dict():
            return all(isinstance(key, str) and _is_json(one) for key, one in value.items())
        case list():
            return all(map(_is_json, value))
        case float():
            return math.isfinite(value)
        case int():
            return isinstance(value, bool) or abs(value) < 10**MAX_DIGITS
        case _:
            return value is None or isinstance(value, str)


@given(st.lists(st.dictionaries(st.text("ab", min_size=1), TEXTS, min_size=1), max_size=4))
@example([{"a": "Bonjour..."}, {"a": "x\n\n"}, {"a": "x\n...\n"}, {"a": "...\n"}, {"a": "y"}])
def test_a_list_is_written_item_by_item(items: list[dict[str, JsonValue]]) -> None:
    text = write_list({"version": 1}, "items", list(items))
    assert read_yaml(text) == {"version": 1, "items": items}
