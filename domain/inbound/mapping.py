"""The mapping: JMESPath expressions that extract an event's fields from a JSON body of any
structure.

Merchants write the expressions, and strangers write the bodies. Only navigating expressions are
allowed, and the number of steps is checked before evaluation.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

import jmespath
from jmespath.exceptions import JMESPathError
from jmespath.parser import ParsedResult
from pydantic import JsonValue

from domain.inbound.body import values_in
from domain.inbound.errors import InvalidEndpoint, WebhookUnreadable
from domain.intake.event import InboundEvent
from domain.intake.payload_view import scalar_text

EVENT_TYPE: Final = "event_type"
_UNTYPED: Final = "generic.message"
CUSTOMER_VERIFIED: Final = "customer_verified"
_EVENT_FIELDS: Final = (EVENT_TYPE, "source", "customer_email", "message")
_PAYLOAD_FIELDS: Final = (
    "subject",
    "order_number",
    "ticket_id",
    "customer_name",
    "message_id",
    CUSTOMER_VERIFIED,
)
FIELDS: Final = frozenset({*_EVENT_FIELDS, *_PAYLOAD_FIELDS})
"""Event fields for which a mapping can contain an expression."""
GATEWAY_MAPPING: Final[Mapping[str, str]] = {
    EVENT_TYPE: "event_type || type",
    **{name: name for name in (*_EVENT_FIELDS[1:], *_PAYLOAD_FIELDS)},
}
"""The mapping for a body that is already in the format of the API gateway."""
# An event must have at least one of these fields. Without them, there is nothing to answer or act
# on.
_SUBSTANCE: Final = ("message", "customer_email", "order_number", "ticket_id")

MAX_CHARS: Final = 500
MAX_PROJECTIONS: Final = 2
MAX_STEPS: Final = 300_000
"""Maximum number of steps of all expressions for one body, about 50 ms. A step evaluates one
expression node at one value."""
_MAX_NODES: Final = 60
_MAX_SEPARATOR: Final = 10
_WALKS: Final = frozenset(
    {
        "field",
        "subexpression",
        "index_expression",
        "index",
        "or_expression",
        "pipe",
        "current",
        "identity",
        "literal",
        "comparator",
        "function_expression",
    }
)
_PROJECTIONS: Final = frozenset({"projection", "filter_projection", "flatten"})
# JMESPath parses `[]` as a flatten node inside a projection, so only the projection is counted.
_COUNTED: Final = _PROJECTIONS - {"flatten"}
_COMPARED: Final = frozenset({"eq", "ne"})
_MAX_CHARS_OF: Final = {"message": 100_000, "customer_email": 320}
_MAX_LINE: Final = 1_000

_Node = Mapping[str, Any]
"""A node of jmespath's syntax tree, with the keys `type`, `children` and, for some types, `value`.
"""


def check_mapping(mapping: Mapping[str, str]) -> None:
    """Raise InvalidEndpoint for an unknown field, and for an invalid or forbidden expression.

    The error identifies the field and does not quote the mapping.
    """
    if not mapping.keys() <= FIELDS:
        raise InvalidEndpoint(f"mapping: fields are {', '.join(sorted(FIELDS))}", "mapping")
    for name, expression in mapping.items():
        _compiled(expression, name)


def mapped_event(mapping: Mapping[str, str], body: dict[str, JsonValue]) -> InboundEvent | None:
    """Extract the event from a body. Return None if the result cannot be answered or acted on.

    An empty mapping means GATEWAY_MAPPING. `event_type` defaults to the body's `type`, then to
    generic.message. Raises WebhookUnreadable, InvalidEndpoint.
    """
    chosen = mapping or GATEWAY_MAPPING
    compiled = {name: _compiled(one, name) for name, one in chosen.items()}
    _check_steps(compiled.values(), body)
    found = {name: _found(one, body) for name, one in compiled.items()}
    texts = {name: text for name, one in found.items() if (text := _text(name, one))}
    if not any(name in texts for name in _SUBSTANCE):
        return None
    payload: dict[str, JsonValue] = {
        name: texts[name] for name in _PAYLOAD_FIELDS if name in texts and name != CUSTOMER_VERIFIED
    }
    if isinstance(verified := found.get(CUSTOMER_VERIFIED), bool):
        payload[CUSTOMER_VERIFIED] = verified
    return InboundEvent(
        event_type=texts.get(EVENT_TYPE) or _text("type", body.get("type")) or _UNTYPED,
        source=texts.get("source"),
        customer_email=texts.get("customer_email"),
        message=texts.get("message"),
        payload=payload,
    )


@lru_cache(maxsize=1_000)
def _compiled(expression: str, name: str) -> ParsedResult:
    """Return the compiled expression for the field `name`. Raises InvalidEndpoint."""
    if not 0 < len(expression) <= MAX_CHARS:
        raise InvalidEndpoint(f"mapping.{name}: 1 to {MAX_CHARS} characters", f"mapping.{name}")
    try:
        compiled = jmespath.compile(expression)
    except (JMESPathError, ValueError, TypeError, LookupError, AttributeError, RecursionError):
        # The jmespath parser also raises these built-in exceptions for text that is not an
        # expression.
        raise InvalidEndpoint(f"mapping.{name}: no JMESPath", f"mapping.{name}") from None
    if not _is_allowed(compiled.parsed):
        raise InvalidEndpoint(
            f"mapping.{name}: only fields, indexes, ||, |, [*], [], [?a == b], not_null and join",
            f"mapping.{name}",
        )
    return compiled


def _is_allowed(tree: _Node) -> bool:
    nodes = list(_nodes(tree))
    projections = sum(node["type"] in _COUNTED for node in nodes)
    return (
        len(nodes) <= _MAX_NODES
        and projections <= MAX_PROJECTIONS
        and all(map(_is_allowed_node, nodes))
    )


def _is_allowed_node(node: _Node) -> bool:
    match node["type"]:
        case "literal":
            return not isinstance(node["value"], dict | list)
        case "comparator":
            return node["value"] in _COMPARED
        case "function_expression":
            return _is_allowed_call(node["value"], node["children"])
        case kind:
            return kind in _WALKS | _PROJECTIONS


def _is_allowed_call(name: str, arguments: list[_Node]) -> bool:
    """Return True if a function call is allowed: `not_null`, or `join` with a short literal
    separator.

    A separator from the body could be as long as the body, and `join` would repeat it between all
    items.
    """
    if name != "join":
        return name == "not_null"
    separator = arguments[0] if arguments else {"type": ""}
    return (
        separator["type"] == "literal"
        and isinstance(separator["value"], str)
        and len(separator["value"]) <= _MAX_SEPARATOR
    )


def _nodes(tree: _Node) -> Iterator[_Node]:
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += [child for child in node["children"] if isinstance(child, dict)]


def _check_steps(compiled: Iterable[ParsedResult], body: dict[str, JsonValue]) -> None:
    """Raise WebhookUnreadable if evaluating the expressions on the body could take more than
    MAX_STEPS.

    Only expressions with a projection count because their nodes may be evaluated once for each
    value.
    """
    trees = [list(_nodes(one.parsed)) for one in compiled]
    wide = sum(len(tree) for tree in trees if any(node["type"] in _PROJECTIONS for node in tree))
    if wide and wide * values_in(body) > MAX_STEPS:
        raise WebhookUnreadable("mapping_too_costly")


def _found(compiled: ParsedResult, body: dict[str, JsonValue]) -> JsonValue:
    """Return the value of an expression for the body. Return None if the expression does not fit
    the body, such as a `join` of numbers."""
    try:
        found: JsonValue = compiled.search(body)
    except JMESPathError:
        return None
    return found


def _text(name: str, value: JsonValue) -> str | None:
    text = scalar_text(value)
    return text[: _MAX_CHARS_OF.get(name, _MAX_LINE)] if text else None
