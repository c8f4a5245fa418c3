"""The strict JSON reader."""

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.json_body import MAX_DEPTH, parse_object
from domain.errors import InvalidBody

INT64 = st.integers(min_value=-(2**63), max_value=2**63 - 1)
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
VALUES = st.recursive(
    st.none() | st.booleans() | INT64 | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=20,
)


@given(st.dictionaries(TEXT, VALUES, max_size=5))
def test_reads_what_json_writes(value: dict[str, object]) -> None:
    assert parse_object(json.dumps(value).encode()) == value


@given(st.binary(max_size=200))
def test_refuses_or_reads_but_never_breaks(body: bytes) -> None:
    with contextlib.suppress(InvalidBody):
        assert isinstance(parse_object(body), dict)


@given(st.integers(min_value=2**63) | st.integers(max_value=-(2**63) - 1))
def test_refuses_integers_beyond_64_bits(number: int) -> None:
    with pytest.raises(InvalidBody):
        parse_object(b'{"n": [%d]}' % number)


def test_depth_limit_is_exact() -> None:
    def nested(levels: int) -> bytes:
        return b'{"a": ' + b"[" * (levels - 1) + b"]" * (levels - 1) + b"}"

    parse_object(nested(MAX_DEPTH))
    with pytest.raises(InvalidBody):
        parse_object(nested(MAX_DEPTH + 1))


@pytest.mark.parametrize("number", ["-0", "1e-400", "0.1", "-9223372036854775808"])
def test_keeps_unusual_numbers(number: str) -> None:
    assert parse_object(b'{"n": %s}' % number.encode())["n"] == json.loads(number)
