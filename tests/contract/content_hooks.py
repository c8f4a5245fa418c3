"""Schemathesis hooks: requests use existing content.

Records are used in turn, because each can be deleted only once. Cursors are left out, because they
cannot be invented. Schemas do not describe valid placeholders, blank texts, a provider's fields or
the AI disclosure, so valid values replace generated ones.
"""

import itertools
import os
from typing import Any

import schemathesis

from domain.integrations.providers import OF_MERCHANTS
from domain.tenants.disclosure import DEFAULT_DISCLOSURE, MAX_DISCLOSURE

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
    """Return a valid connection instead of the generated one."""
    shaped = (
        body.get("provider") in list(OF_MERCHANTS)
        and body.keys() <= CONNECTION.keys()
        and all(_texts(body.get(name, {})) for name in ("settings", "credentials"))
    )
    return CONNECTION if shaped else None


def _texts(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(one, str) for one in value.values())


def _good(name: str, value: object) -> object:
    if name == "disclosure" and isinstance(value, dict):
        return {language: _disclosure(language, text) for language, text in value.items()}
    if not isinstance(value, str) or not 1 <= len(value) <= LIMITS.get(name, 0):
        return value
    return "x" * len(value)


def _disclosure(language: str, text: object) -> object:
    if not isinstance(text, str) or len(text) > MAX_DISCLOSURE:
        return text
    return DEFAULT_DISCLOSURE.get(language, text)
