"""Schemathesis hooks: requests use existing records.

Records are used in turn, because each review can be decided, each webhook deleted and each reply
undone only once. Cursors are left out, because they cannot be invented. So is the first day of a
range, because schemas cannot relate it to the last day. Schemas do not describe valid URLs and
labels, so valid values replace generated ones.
"""

import itertools
import os
from datetime import date
from typing import Any

import schemathesis
from schemathesis.generation import GenerationMode

CLIENT_ID = os.environ["CONTRACT_CLIENT_ID"]
REVIEW_IDS = itertools.cycle(os.environ["CONTRACT_REVIEW_IDS"].split(","))
CHECKOUT_ID = os.environ["CONTRACT_CHECKOUT_ID"]
DOOMED_IDS = itertools.cycle(os.environ["CONTRACT_DOOMED_IDS"].split(","))
REPLY_IDS = itertools.cycle(os.environ["CONTRACT_REPLY_IDS"].split(","))
CONVERSATION_ID = os.environ["CONTRACT_CONVERSATION_ID"]
RUN_ID = os.environ["CONTRACT_RUN_ID"]
CUSTOMER_ID = os.environ["CONTRACT_CUSTOMER_ID"]
WEBHOOK_ID, DELIVERY_ID = os.environ["CONTRACT_DELIVERY"].split("/")
VIEW_ID, *_DOOMED_VIEWS = os.environ["CONTRACT_VIEW_IDS"].split(",")
DOOMED_VIEW_IDS = itertools.cycle(_DOOMED_VIEWS)
INBOX = "/api/dashboard/inbox"
URL = "https://hooks.example.com/service"


@schemathesis.hook
def before_call(_: Any, case: Any, __: Any) -> None:
    ids = {
        "review_id": lambda: next(REVIEW_IDS),
        "webhook_id": lambda: next(DOOMED_IDS) if case.method == "DELETE" else WEBHOOK_ID,
        "delivery_id": lambda: DELIVERY_ID,
        "checkout_id": lambda: CHECKOUT_ID,
        "reply_id": lambda: next(REPLY_IDS),
        "conversation_id": lambda: CONVERSATION_ID,
        "customer_id": lambda: CUSTOMER_ID,
        "run_id": lambda: RUN_ID,
        "view_id": lambda: next(DOOMED_VIEW_IDS) if case.method == "DELETE" else VIEW_ID,
    }
    there = {name: ids[name]() for name in case.path_parameters or {}}
    if there:
        case.path_parameters = {**case.path_parameters, **there}
    query = case.query or {}
    known = {
        name: value
        for name, value in query.items()
        if name != "cursor" and not (name == "from" and _is_day(value))
    }
    if isinstance(known.get("client_id"), str):
        known["client_id"] = CLIENT_ID
    if known != query:
        case.query = known
    if isinstance(case.body, dict):
        case.body = {name: _good(name, value) for name, value in case.body.items()}
        if case.body.get("is_active") is False:
            # A paused webhook gets no replay.
            case.body |= {"is_active": None, "label": "Commandes"}
        if case.method == "PATCH" and "/conversations" in case.path and _is_allowed(case):
            case.body = _sorted(case.body)
        if case.path.endswith("/reply") and _is_allowed(case):
            # No document states which files a member has uploaded.
            case.body = {name: one for name, one in case.body.items() if name != "attachments"}
        if case.method == "PATCH" and case.path == INBOX and _is_allowed(case):
            # Each action has its own values, and not every ticket has a review.
            case.body = {"action": "reopen", "conversation_ids": [CONVERSATION_ID]}


def _is_allowed(case: Any) -> bool:
    """Return whether the request was generated as valid."""
    return case.meta is not None and case.meta.generation.mode is GenerationMode.POSITIVE


def _sorted(body: dict[str, Any]) -> dict[str, Any]:
    """Return a change with at least one value. Schemas do not state that only snoozed conversations
    have a time, or which members and conversations exist."""
    body = {name: one for name, one in body.items() if name != "snoozed_until"}
    if body.get("status") == "snoozed":
        body["status"] = "open"
    if body.get("assignee"):
        body["assignee"] = ""
    if "conversation_ids" in body:
        return {"status": "closed", **body, "conversation_ids": [CONVERSATION_ID]}
    return body or {"status": "closed"}


def _is_day(value: object) -> bool:
    try:
        return isinstance(value, str) and date.fromisoformat(value).isoformat() == value
    except ValueError:
        return False


def _good(name: str, value: object) -> object:
    if not isinstance(value, str):
        return value
    if name == "client_id":
        return CLIENT_ID
    if name == "url" and value.startswith("https://"):
        return URL
    if name == "label" and 1 <= len(value) <= 100:
        return "x" * len(value)
    return value
