"""Hook for the schemathesis process: its requests are about content that exists.

In turn, for each can be deleted once only. Cursors are left out: nobody can make one up. No schema
says which placeholders can be read, what is blank, and what a provider needs, so good values take
the place of those that the schema allows.
"""

import itertools
import os
from typing import Any

import schemathesis

from domain.integrations.providers import OF_MERCHANTS

CLIENT_ID = os.environ["CONTRACT_CLIENT_ID"]
KEPT = {
    f"{name}_id": os.environ[f"CONTRACT_{name.upper()}_ID"]
    for name in ("template", "knowledge", "integration")
}
DOOMED = {
    f"{name}_id": itertools.cycle(os.environ[f"CONTRACT_{name.upper()}_IDS"].split(","))
    for name in ("template", "knowledge", "integration")
}
LIMITS = {"name": 200, "title": 200, "body": 20_000}
CONNECTION = {
    "provider": "shopify",
    "settings": {"shop": "acme.myshopify.com"},
    "credentials": {"access_token": "x"},
}


@schemathesis.hook
def before_call(_: Any, case: Any, __: Any) -> None:
    there = {
        name: next(DOOMED[name]) if case.method == "DELETE" else KEPT.get(name, value)
        for name, value in (case.path_parameters or {}).items()
    }
    if there:
        case.path_parameters = there
    query = case.query or {}
    known = {name: value for name, value in query.items() if name != "cursor"}
    if isinstance(known.get("client_id"), str):
        known["client_id"] = CLIENT_ID
    if known != query:
        case.query = known
    if isinstance(case.body, dict):
        case.body = _connection(case.body) or {
            name: _good(name, value) for name, value in case.body.items()
        }


def _connection(body: dict[str, Any]) -> dict[str, Any] | None:
    """A connection of the right shape, in place of one."""
    shaped = (
        body.get("provider") in list(OF_MERCHANTS)
        and body.keys() <= CONNECTION.keys()
        and all(_texts(body.get(name, {})) for name in ("settings", "credentials"))
    )
    return CONNECTION if shaped else None


def _texts(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(one, str) for one in value.values())


def _good(name: str, value: object) -> object:
    if not isinstance(value, str) or not 1 <= len(value) <= LIMITS.get(name, 0):
        return value
    return "x" * len(value)
