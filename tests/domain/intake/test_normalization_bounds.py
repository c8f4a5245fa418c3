"""Properties of every event, however hostile."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from domain.intake.event import InboundEvent, UnifiedEvent
from domain.intake.normalization import MAX_FIELD_CHARS, normalize
from tests.support.intake.normalized import unified


def test_fields_are_bounded() -> None:
    payload: dict[str, JsonValue] = {
        "long": "x" * (MAX_FIELD_CHARS + 1),
        "line": "a\r\nb\x00c",
        "empty": "",
        "null": None,
        "off": False,
        "nested": {"a": 1},
        "big": 10**5000,
        "1bad": "x",
        "body": "raw",
        "customer_email": "a\n@b.c",
        **{f"k{number}": number for number in range(1_000)},
    }
    fields = unified("api_direct", payload).fields
    assert fields["line"] == "a bc"
    assert fields["k0"] == "0"
    assert len(fields) <= 204
    assert not {"long", "empty", "null", "off", "nested", "big", "1bad", "body"} & fields.keys()
    assert "customer_email" not in fields


KEYS = st.sampled_from(
    """from to subject html_body text_body text body message headers references in_reply_to
    message_id ticket ticket_id id order order_number order_id customer requester name
    customer_name event detail comment return_path precedence session_id email data""".split()  # noqa: SIM905
) | st.text(max_size=8)
TEXTS = st.text(max_size=30) | st.sampled_from(
    ["A <a@b.c>", "#1234", "=?utf-8?b?DQo=?=", "=?x?q?=FF?=", "<p>\x00</p>", "> x", "[[", "-- "]
)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | TEXTS
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)
TYPES = st.sampled_from(["email.inbound", "widget.x", "shopify.x", "zendesk.x", "api_direct", ""])
EVENTS = st.builds(
    InboundEvent,
    event_type=TYPES | st.text(max_size=10),
    source=st.none() | TYPES,
    customer_email=st.none() | TEXTS,
    message=st.none() | TEXTS,
    payload=st.dictionaries(KEYS, JSON, max_size=8),
)
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


@settings(max_examples=300)
@given(EVENTS)
def test_any_event_is_normalized(event: InboundEvent) -> None:
    first = normalize(event, fallback_ticket_id="f")
    assert first == normalize(event, fallback_ticket_id="f")
    assert first.ticket_id
    assert not CONTROLS.search(first.text)
    lines = [first.subject, first.customer_email, first.customer_name, first.order_number]
    lines += [first.message_id, first.session_id, *first.references, *first.fields.values()]
    for line in lines:
        assert line is None or not re.search(r"[\r\n\t\x00]", line)
    assert all(re.fullmatch(r"[A-Za-z_]\w*", key, re.ASCII) for key in first.fields)
    assert UnifiedEvent.model_validate_json(first.model_dump_json()) == first


@given(EVENTS, st.text(alphabet="abc #123\n,é", max_size=60))
def test_a_plain_message_is_unchanged_by_a_second_pass(event: InboundEvent, message: str) -> None:
    plain = event.model_copy(update={"message": message, "payload": {}})
    once = normalize(plain, fallback_ticket_id="f")
    again = normalize(plain.model_copy(update={"message": once.text}), fallback_ticket_id="f")
    assert again == once


# A payload with hostile sizes: measured below 0.1 s each.
@pytest.mark.parametrize(
    "payload",
    [
        {f"k{number}": "v" * 10 for number in range(50_000)},
        {"headers": [{"name": f"h{number}", "value": "v"} for number in range(30_000)]},
        {"headers": "[" * 100_000},
        {"headers": "a: b\n" * 100_000},
        {"from": "(" * 500_000, "subject": "=?" * 250_000, "references": "<a@b>" * 90_000},
        {"text": "commande n° " * 9_000},
        {"ticket": {f"k{number}": 1 for number in range(50_000)}},
    ],
)
def test_hostile_payload_ends(payload: dict[str, JsonValue]) -> None:
    assert unified("email.inbound", payload).ticket_id == "evt_1"
