"""The mapping of the generic form, and its cost limit."""

from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from domain.core.errors import DomainError
from domain.inbound.errors import InvalidEndpoint, WebhookUnreadable
from domain.inbound.inbound_webhook import WebhookKind
from domain.inbound.mapping import (
    GATEWAY_MAPPING,
    MAX_STEPS,
    check_mapping,
    mapped_event,
)
from domain.inbound.meaning import InboundTicket, Nothing
from domain.inbound.platforms.generic import GenericWebhooks
from domain.inbound.ports import EndpointFacts
from tests.support.core.each import each
from tests.support.inbound.shop_requests import standard_request

GENERIC = GenericWebhooks()


@each(
    [
        "a",
        "a.b.c",
        '"odd-name".b',
        "a[0].b[-1]",
        "a || b || 'none'",
        "messages[-1].text",
        "messages[*].text | [0]",
        "messages[].text | [-1]",
        "addresses[?kind == 'mail'].value | [0]",
        "not_null(a, b.c)",
        "join(' ', parts)",
        "@",
    ]
)
def test_what_is_allowed(expression: str) -> None:
    check_mapping({"message": expression})


@each(
    [
        "",
        " ",
        "a" * 501,
        "a.",
        "a b",
        "`",
        "'",
        "(" * 400,
        "[" * 400,
        "[a, b]",
        "{a: b}",
        "*",
        "a.*",
        "a[0:5]",
        "&a",
        "sort(a)",
        "length(a)",
        "to_string(@)",
        "map(&a, b)",
        "nothing(a)",
        "join(a, b)",
        "join('a long separator', b)",
        "join()",
        "a[*].b[*].c[*]",
        "a[?b > `1`]",
        "a[?b == `[1, 2]`]",
        "a && b",
        "!a",
        "a || " * 60 + "a",
    ]
)
def test_what_is_not(expression: str) -> None:
    with pytest.raises(InvalidEndpoint) as caught:
        check_mapping({"message": expression})
    assert caught.value.reason == "mapping.message"
    with pytest.raises(InvalidEndpoint):
        check_mapping({"is_test": "a"})


@given(st.text(alphabet="ab.[]*|?=`'\"(){},@&! 0-", max_size=40) | st.text(max_size=40))
def test_any_text_is_an_expression_or_refused(text: str) -> None:
    try:
        check_mapping({"message": text})
    except InvalidEndpoint:
        return
    mapped_event({"message": text}, {"a": [{"b": "x"}, 1, None], "b": {"a": "y"}})


def _bodies() -> st.SearchStrategy[dict[str, JsonValue]]:
    leaves: st.SearchStrategy[JsonValue] = (
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
    )
    inside = st.recursive(
        leaves,
        lambda kids: st.lists(kids) | st.dictionaries(st.sampled_from("abc"), kids),
        max_leaves=30,
    )
    return st.dictionaries(st.sampled_from("abc"), inside)


_EXPRESSIONS = st.sampled_from(["a", "b", "a[*].b", "b[].c", "a||b", "c[0]", "a[?b==c].a"])


@given(_bodies(), st.lists(_EXPRESSIONS, max_size=3))
def test_any_body_gives_an_event_or_none(
    body: dict[str, JsonValue], expressions: list[str]
) -> None:
    mapping = dict(zip(["message", "subject", "ticket_id"], expressions, strict=False))
    event = mapped_event(mapping, body)
    assert event is None or event.event_type


class Counted(dict[str, object]):
    """A body object that counts field accesses."""

    asked = 0

    def get(self, key: str, default: object = None) -> object:
        Counted.asked += 1
        return super().get(key, default)


_WORDS = st.sampled_from(["a", "b", "c", "@", "a[0]", "'x'"])
_GROWN = st.recursive(
    _WORDS,
    lambda part: st.one_of(
        st.tuples(part, st.sampled_from([".b", ".c", "[*]", "[*].b", "[]", "[?b == c]"])).map(
            "".join
        ),
        st.tuples(part, part).map(" || ".join),
        st.tuples(part, part).map(" | ".join),
        st.tuples(part, part).map(lambda both: f"not_null({both[0]}, {both[1]})"),
        part.map(lambda one: f"join(', ', {one})"),
    ),
    max_leaves=6,
)


def _asked(expression: str, rows: int) -> int:
    row = {"b": [Counted(b="x", c="y")] * 3, "c": Counted(b="z")}
    body = Counted(a=[Counted(row) for _ in range(rows)], b="x")
    Counted.asked = 0
    mapped_event({"message": expression}, cast("dict[str, JsonValue]", body))
    return Counted.asked


@settings(deadline=None)
@given(_GROWN, st.integers(1, 20))
def test_the_cost_is_linear_in_the_body(expression: str, rows: int) -> None:
    """For any permitted expression, twice the body is at most twice the work."""
    try:
        check_mapping({"message": expression})
    except InvalidEndpoint:
        return
    assert _asked(expression, 2 * rows) <= 2 * _asked(expression, rows)


def test_a_body_that_would_cost_too_much_is_not_read() -> None:
    body: dict[str, JsonValue] = {"a": [1] * MAX_STEPS, "message": "hi"}
    with pytest.raises(WebhookUnreadable, match="mapping_too_costly"):
        mapped_event({"message": "a[*]"}, body)
    # Without a projection, the size of the body does not matter.
    assert mapped_event({}, body) is not None


def read(body: object, mapping: dict[str, str]) -> InboundTicket | Nothing:
    request = standard_request(body, name="msg_7")
    told = GENERIC.read(request, GENERIC.identify(request), EndpointFacts("i", mapping=mapping))
    assert isinstance(told, InboundTicket | Nothing)
    return told


def test_a_body_in_the_gateways_shape_needs_no_mapping() -> None:
    check_mapping(GATEWAY_MAPPING)
    told = read(
        {
            "event_type": "shopify.order_question",
            "source": "shopify",
            "customer_email": "lea@example.com",
            "message": "Où est ma commande ?",
            "order_number": 1042,
            "customer_verified": False,
            "further": "left out",
        },
        {},
    )
    assert isinstance(told, InboundTicket)
    assert told.message_key == "message/msg_7"
    assert told.event.event_type == "shopify.order_question"
    assert told.event.message == "Où est ma commande ?"
    assert told.event.payload == {"order_number": "1042", "customer_verified": False}


def test_a_body_of_any_other_shape_is_mapped() -> None:
    mapping = {
        "customer_email": "contact.addresses[?kind == 'mail'].value | [0]",
        "message": "thread[-1].text",
        "message_id": "thread[-1].id",
        "ticket_id": "id",
        "customer_name": "join(' ', contact.names)",
    }
    told = read(
        {
            "type": "case.updated",
            "id": 12,
            "message": "not asked for",
            "contact": {
                "names": ["Léa", "Martin"],
                "addresses": [
                    {"kind": "phone", "value": "1"},
                    {"kind": "mail", "value": "lea@example.com"},
                ],
            },
            "thread": [{"id": "a", "text": "first"}, {"id": "b", "text": "second\u0000"}],
        },
        mapping,
    )
    assert isinstance(told, InboundTicket)
    assert (told.message_key, told.ticket_id) == ("message/b", "12")
    assert (told.event.event_type, told.event.message) == ("case.updated", "second")
    assert told.event.customer_email == "lea@example.com"
    assert told.event.payload["customer_name"] == "Léa Martin"


def test_what_nothing_is_found_in() -> None:
    assert read({"type": "ping", "subject": "only"}, {}) == Nothing("nothing_mapped")
    assert read({"message": {"no": "text"}}, {"message": "message"}) == Nothing("nothing_mapped")
    assert GENERIC.topics.get("anything") is WebhookKind.TICKET


@each([b"[]", b"{", b'{"a":NaN}', b'"x"', b'{"a":' + b"[" * 80 + b"]" * 80 + b"}"])
def test_what_is_no_object(body: bytes) -> None:
    request = standard_request({})
    with pytest.raises(DomainError):
        GENERIC.read(
            type(request)(request.headers, body),
            GENERIC.identify(request),
            EndpointFacts("i"),
        )


def test_an_event_that_names_no_type_has_one_that_the_starter_playbooks_answer() -> None:
    untyped = read({"message": "Où est ma commande ?"}, {})
    named = read(
        {"type": "case.updated", "text": "Où est ma commande ?"},
        {"message": "text", "event_type": "'generic.message'"},
    )
    for told in (untyped, named):
        assert isinstance(told, InboundTicket)
        assert told.event.event_type == "generic.message"
