"""Events of the engine's first version, as lines of a file."""

import json

import pytest

from domain.core.errors import InvalidInput
from domain.exports.legacy_event import MAX_LINE_BYTES, parse_line

LINE = {"event_type": "order.created", "created_at": "2024-05-01T10:00:00+02:00"}


def test_a_line() -> None:
    event = parse_line(json.dumps({**LINE, "payload": {"a": [1.5, None, 2**63 - 1]}}).encode(), 1)
    assert event.id is None
    assert event.payload == {"a": [1.5, None, 2**63 - 1]}
    assert event.created_at.isoformat() == LINE["created_at"]


BAD_LINES = {
    "no JSON": "{",
    "no object": "[]",
    "no type": '{"created_at": "2024-05-01T10:00:00Z"}',
    "no offset": '{"event_type": "x", "created_at": "2024-05-01T10:00:00"}',
    "a field more": json.dumps({**LINE, "sealed": "x"}),
    "no payload": json.dumps({**LINE, "payload": [1]}),
    "NUL": json.dumps({**LINE, "payload": {"a": ["\0"]}}),
    "NaN": json.dumps({**LINE, "payload": {"a": float("nan")}}),
    "too large a number": json.dumps({**LINE, "payload": {"a": 2**70}}),
    "too long": json.dumps({**LINE, "payload": {"a": "x" * MAX_LINE_BYTES}}),
}


@pytest.mark.parametrize("name", BAD_LINES)
def test_a_wrong_line_is_named_and_not_quoted(name: str) -> None:
    with pytest.raises(InvalidInput) as told:
        parse_line(BAD_LINES[name].encode(), 5)
    assert str(told.value).startswith("line 5: ")
    assert len(str(told.value)) < 200
