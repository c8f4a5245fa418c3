"""The strict JSON parser."""

import contextlib
import json
import time
from typing import Never

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from api.http.json_body import MAX_BYTES, MAX_DEPTH, MAX_VALUES, parse_object
from domain.core.errors import InvalidBody

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


ANY_TEXT = st.text(st.characters(exclude_categories=()))
ANY_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ANY_TEXT, inner, max_size=4),
    max_leaves=20,
)
# Anything that json.dumps produces (NaN, surrogates, huge integers), and random JSON fragments.
NEARLY_JSON = st.builds(json.dumps, ANY_VALUES, ensure_ascii=st.just(True)).map(
    str.encode
) | st.lists(
    st.sampled_from(
        [*'{}[]:,"0123456789.eE+- \\ubdnNaItrflsyé\0\n\ufeff', '"a":', "NaN", "null", "\\ud800"]
    ),
    max_size=40,
).map(lambda pieces: ('{"a":' + "".join(pieces) + "}").encode())


def _refuse(constant: str) -> Never:
    raise AssertionError(constant)


@given(st.binary(max_size=200) | NEARLY_JSON)
@example(b"\xef\xbb\xbf{}")
@example(b"{\0}\0")
@example('{"a": "é"}'.encode("latin-1"))
def test_refuses_or_reads_what_everybody_reads(body: bytes) -> None:
    """The result is InvalidBody or an object, never another error, and other parsers read the same
    object."""
    with contextlib.suppress(InvalidBody):
        read = parse_object(body)
        assert read == json.loads(body.decode("utf-8"), parse_constant=_refuse)
        assert parse_object(json.dumps(read).encode()) == read


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig"])
@given(value=st.dictionaries(TEXT, VALUES, max_size=3))
def test_refuses_other_encodings(encoding: str, value: dict[str, object]) -> None:
    with pytest.raises(InvalidBody):
        parse_object(json.dumps(value).encode(encoding))


@given(st.dictionaries(TEXT, VALUES, min_size=1, max_size=3), st.data())
def test_refuses_a_repeated_key(value: dict[str, object], data: st.DataObject) -> None:
    key = data.draw(st.sampled_from(sorted(value)))
    again = json.dumps({key: 0})[1:-1]
    escaped = '"' + "".join(f"\\u{unit:04x}" for unit in _utf16(key)) + '": 0'

    for repeated in (again, escaped):
        for depth in range(3):
            text = json.dumps(value)[:-1] + f", {repeated}}}"
            with pytest.raises(InvalidBody):
                parse_object(('{"x": [' * depth + text + "]}" * depth).encode())


def _utf16(text: str) -> list[int]:
    units = text.encode("utf-16-be")
    return [int.from_bytes(units[at : at + 2], "big") for at in range(0, len(units), 2)]


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


@pytest.mark.parametrize(
    ("body", "accepted"),
    [
        (b"[" * 100_000, False),
        (b'{"a":' * 100_000, False),
        (b'{"a": ' + b"[" * 1100 + b"]" * 1100 + b"}", False),
        (b'{"n": ' + b"9" * 1_000_000 + b"}", False),
        (b'{"n": 1e' + b"9" * 1_000_000 + b"}", False),
        (b'{"n": 0.' + b"3" * 1_000_000 + b"}", True),
        (b'{"' + b"k" * 1_000_000 + b'": 1}', False),
        (b'{"a": "' + b"\\u0041" * 160_000 + b'"}', True),
        (b'{"a": [' + b"0," * 500_000 + b"0]}", False),
        (b'{"a": [' + b"[]," * 330_000 + b"[]]}", False),
        (b"{" + b",".join(b'"%d":0' % n for n in range(100_000)) + b"}", False),
        (b"{" + b'"a":0,' * 170_000 + b'"a":0}', False),
        (b"{" + b'"a":{"b":0},' * 80_000 + b'"a":0}', False),
        (b"{" + b'"":{},' * 170_000 + b'"":0}', False),
        (b"{" + b'"a":[0,0,0,0,0,0,0,0,0,0],' * 39_000 + b'"a":0}', False),
        (b"{" + b'"a":%s,' % (b"[" * 30 + b"]" * 30) * 9_999 + b'"a":0}', False),
        (b"{" + b'"a":%s0%s,' % (b'{"a":' * 30, b"}" * 30) * 5_000 + b'"a":0}', False),
        (b'{"a": "' + b"," * 500_000 + b"[" * 500_000 + b'"}', True),
        (b'{"a": "' + b'\\\\\\"' * 250_000 + b'"}', True),
        (b'{"a": [' + b"0," * 9_997 + b"0]}", True),
        (b'{"a": [' + b"0," * 9_999 + b"0]}", False),
        (b'{"' + b"k" * 256 + b'": 1}', True),
        (b'{"' + b"k" * 257 + b'": 1}', False),
    ],
    ids=[
        "[",
        "{",
        "deep",
        "digits",
        "exponent",
        "fraction",
        "key",
        "escapes",
        "zeros",
        "lists",
        "keys",
        "repeated",
        "repeated objects",
        "repeated empty key",
        "repeated lists",
        "repeated deep lists",
        "repeated deep objects",
        "commas in a text",
        "quotes in a text",
        "as many as may be",
        "one too many",
        "longest key",
        "too long a key",
    ],
)
def test_largest_bodies_are_read_fast(body: bytes, accepted: bool) -> None:
    """Other requests wait: rejecting a body costs at most twice the largest ordinary body."""
    assert len(body) <= MAX_BYTES

    assert _is_accepted(body) is accepted
    assert _cost(body) < 2 * _cost(ORDINARY)


# The maximum number of values of the maximum size, all distinct.
ORDINARY = json.dumps({f"{n:06}": f"{n:06}é" * 6 for n in range(MAX_VALUES)}).encode()


def _is_accepted(body: bytes) -> bool:
    try:
        parse_object(body)
    except InvalidBody:
        return False
    return True


def _cost(body: bytes) -> float:
    """Return the CPU seconds, the minimum of five runs, to exclude other load."""

    def once() -> float:
        started = time.thread_time()
        _is_accepted(body)
        return time.thread_time() - started

    return min(once() for _ in range(5))


def _count(value: object) -> int:
    if isinstance(value, dict):
        return len(value) + sum(map(_count, value.values()))
    return len(value) + sum(map(_count, value)) if isinstance(value, list) else 0


@given(st.dictionaries(TEXT | st.text('"\\\\,[{'), VALUES, max_size=5), st.integers(0, 3))
def test_number_of_values_is_exact(value: dict[str, object], missing: int) -> None:
    """The limit is exact, whatever the strings contain."""
    filling = MAX_VALUES - _count(value) - 1 - missing
    full = {**value, "filling": [0] * filling}

    assert _is_accepted(json.dumps(full).encode())
    full["filling"] = [0] * (filling + missing + 1)
    assert not _is_accepted(json.dumps(full).encode())
