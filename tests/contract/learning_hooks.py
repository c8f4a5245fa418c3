"""Schemathesis hooks: requests use existing records and plausible values.

Corrections and labelled examples are used in turn, because each is decided or deleted only once.
Cursors are left out, because they cannot be invented. In requests that are meant to be valid, valid
values replace generated ones that no schema restricts: playbooks, the last author, amounts and days
that fit together, placeholders, invisible characters.
"""

import itertools
import os
from collections.abc import Callable
from typing import Any

import schemathesis
from schemathesis.generation import GenerationMode

CLIENT_ID = os.environ["CONTRACT_CLIENT_ID"]
PLAYBOOK_ID = os.environ["CONTRACT_PLAYBOOK_ID"]
TEMPLATE_ID = os.environ["CONTRACT_TEMPLATE_ID"]
KNOWLEDGE_ID = os.environ["CONTRACT_KNOWLEDGE_ID"]
IN_TURN = {
    name: itertools.cycle(os.environ[f"CONTRACT_{name.upper()}S"].split(","))
    for name in ("correction_id", "example_id", "replay_id", "run_id")
}
PLAYBOOK = {"version": 1, "name": "Essai", "event_types": ["*"], "confidence_threshold": 0.7}
CASE = {"scenario": {"messages": [{"text": "Bonjour"}]}, "expected": {}}
PLAIN = ("name", "title", "body")
ID_OF = {"template": TEMPLATE_ID, "knowledge": KNOWLEDGE_ID}

Fields = dict[str, Any]


@schemathesis.hook
def before_call(_: Any, case: Any, __: Any) -> None:
    ids = {
        name: next(IN_TURN[name]) if name in IN_TURN else value
        for name, value in (case.path_parameters or {}).items()
    }
    if ids:
        case.path_parameters = ids
    query = case.query or {}
    known = {name: value for name, value in query.items() if name != "cursor"}
    if isinstance(known.get("client_id"), str):
        known["client_id"] = CLIENT_ID
    if known != query:
        case.query = known
    if isinstance(case.body, dict) and _is_allowed(case):
        case.body = GOOD.get(case.path, _same)(_of_client(case.body))


def _is_allowed(case: Any) -> bool:
    """Return whether the request was generated as valid."""
    return case.meta is not None and case.meta.generation.mode is GenerationMode.POSITIVE


def _of_client(body: Fields) -> Fields:
    return {**body, "client_id": CLIENT_ID} if isinstance(body.get("client_id"), str) else body


def _same(body: Fields) -> Fields:
    return body


def _simulated(body: Fields) -> Fields:
    """Return a body with one message or a conversation."""
    tried = _tried(body)
    said = tried.pop("messages", None)
    if said:
        tried.pop("message", None)
        tried["messages"] = _conversation(said)
    elif not tried.get("message"):
        tried["message"] = "Bonjour"
    return _ordered(tried)


def _tried(variant: Fields) -> Fields:
    """Return a body with an existing version of a stored playbook."""
    tried = {name: one for name, one in variant.items() if name != "version"}
    if tried.get("playbook_id"):
        tried["playbook_id"] = PLAYBOOK_ID
    if tried.get("playbook"):
        tried["playbook"] = PLAYBOOK
    elif tried.get("playbook_id") and variant.get("version"):
        tried["version"] = 1
    return tried


def _conversation(said: list[Fields]) -> list[Fields]:
    return [*said[:-1], {**said[-1], "author": "customer"}]


def _ordered(scenario: Fields) -> Fields:
    """Return a body in which the refund does not exceed the payment."""
    if not scenario.get("order"):
        return scenario
    money = {"total": "49.00", "refundable": "49.00", "currency": "EUR"}
    return {**scenario, "order": {**scenario["order"], **money}}


def _replayed(body: Fields) -> Fields:
    """Return a body with a range of days in the right order."""
    body = {name: one for name, one in body.items() if name not in ("since", "until")}
    if isinstance(body.get("variant"), dict):
        body["variant"] = _tried(body["variant"])
    return body


def _previewed(body: Fields) -> Fields:
    return {
        kind: _entry(change, kind) if isinstance(change, dict) else change
        for kind, change in body.items()
    }


def _entry(change: Fields, kind: str) -> Fields:
    """Return a body for existing content, with text that a template may have."""
    good: Fields = {
        name: "x" * len(one) if isinstance(one, str) and name in PLAIN else one
        for name, one in change.items()
    }
    if good.get("not_for"):
        good["not_for"] = ["retour"]
    if isinstance(good.get("change"), dict):
        good["change"] = _entry(good["change"], kind)
    if "id" in good:
        good["id"] = ID_OF[good.get("kind") or kind]
    if "template_id" in good:
        good["template_id"] = TEMPLATE_ID
    if "knowledge_id" in good:
        good["knowledge_id"] = KNOWLEDGE_ID
    return good


def _accepted(body: Fields) -> Fields:
    if body.get("content"):
        body = {**body, "content": _entry(body["content"], "")}
    if body.get("case"):
        body = {**body, "case": {**CASE, "name": "x" * len(body["case"]["name"])}}
    return body


def _asked(body: Fields) -> Fields:
    """Return a body in which the user wrote the last message."""
    said = body["messages"]
    return {**body, "messages": [*said[:-1], {**said[-1], "role": "user"}]}


GOOD: dict[str, Callable[[Fields], Fields]] = {
    "/api/simulator/chat": _simulated,
    "/api/copilot/chat": _asked,
    "/api/dashboard/replays": _replayed,
    "/api/dashboard/content-previews": _previewed,
    "/api/dashboard/corrections/{correction_id}/accept": _accepted,
}
"""Valid bodies by path."""
