"""Schemathesis hooks: requests reach the engine.

They use the existing client, because a generated client_id would always return 403. Invalid ids
(another type, blank) are kept, because they must be rejected. Each Idempotency-Key is used once,
because generated ones are short and soon repeated with another body (422).
"""

import os
from collections.abc import Mapping
from datetime import date
from typing import Any

import schemathesis

CLIENT_ID = os.environ["CONTRACT_CLIENT_ID"]
WIDGET_KEY = os.environ["CONTRACT_WIDGET_KEY"]
KEY = "Idempotency-Key"
RUNS = "/api/dashboard/runs"
_RANGE = frozenset({"from", "to"})

keys: set[str] = set()

_NO_NUL = {"pattern": "^[^\\u0000]*$"}
# The value of an additional field of an event. The document calls it free-form, because generators
# of clients do not know a schema that contains itself.
_FREE: dict[str, Any] = {
    "anyOf": [
        {"type": "string", **_NO_NUL},
        {"type": "integer", "minimum": -(2**63), "maximum": 2**63 - 1},
        {"type": "number"},
        {"type": "boolean"},
        {"type": "null"},
        {"type": "array", "items": {"type": "string", **_NO_NUL}},
        {
            "type": "object",
            "additionalProperties": {"type": "string", **_NO_NUL},
            "propertyNames": {**_NO_NUL, "maxLength": 256},
        },
    ]
}


@schemathesis.hook
def before_load_schema(_: Any, schema: dict[str, Any]) -> None:
    event = schema["components"]["schemas"]["GatewayRequest"]
    event["additionalProperties"] = _FREE
    event["properties"]["html_body"] |= _FREE


@schemathesis.hook
def before_call(_: Any, case: Any, __: Any) -> None:
    if _names_a_client(case.body):
        case.body = {**case.body, "client_id": CLIENT_ID}
    if _names_a_client(case.query):
        case.query = {**case.query, "client_id": CLIENT_ID}
    if case.path.startswith("/api/widget/"):
        _from_a_page(case)
    if case.path == RUNS and isinstance(case.query, Mapping):
        # A range starts in 1970 at the earliest, and ends after its start.
        case.query = {
            name: one for name, one in case.query.items() if not (name in _RANGE and _is_day(one))
        }
    key = case.headers.get(KEY)
    if isinstance(key, str) and key in keys:
        del case.headers[KEY]
    elif isinstance(key, str):
        keys.add(key)


def _is_day(value: object) -> bool:
    try:
        return isinstance(value, str) and bool(date.fromisoformat(value))
    except ValueError:
        return False


def _names_a_client(fields: object) -> bool:
    if not isinstance(fields, Mapping):
        return False
    client_id = fields.get("client_id")
    return isinstance(client_id, str) and bool(client_id.strip())


def _from_a_page(case: Any) -> None:
    """Return a request as the widget sends it. No document states which address exists, and its
    signature."""
    case.query = {**(case.query or {}), "api_key": WIDGET_KEY}
    case.headers["Origin"] = "https://shop.example"
    if isinstance(case.body, Mapping) and isinstance(case.body.get("customer_email"), str):
        case.body = {**case.body, "customer_email": "a@b.example"}
    if isinstance(case.body, Mapping) and isinstance(case.body.get("user_signature"), str):
        case.body = {name: case.body[name] for name in case.body if name != "user_signature"}
