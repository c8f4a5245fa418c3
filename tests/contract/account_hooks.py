"""Schemathesis hooks: requests use existing account records."""

import os
from collections.abc import Mapping
from typing import Any

import schemathesis
from schemathesis.generation.meta import TestPhase

CLIENT_ID = os.environ["CONTRACT_CLIENT_ID"]
RECORDS = {
    "key_id": os.environ["CONTRACT_KEY_ID"],
    "playbook_id": os.environ["CONTRACT_PLAYBOOK_ID"],
    "user_id": os.environ["CONTRACT_USER_ID"],
}


@schemathesis.hook
def before_call(_: Any, case: Any, __: Any) -> None:
    if isinstance(case.query, Mapping) and isinstance(case.query.get("client_id"), str):
        case.query = {**case.query, "client_id": CLIENT_ID}
    if case.meta is not None and case.meta.phase.name is TestPhase.STATEFUL:
        return  # The ids are those of records that an earlier request has made.
    named = {name: one for name, one in RECORDS.items() if name in (case.path_parameters or {})}
    # Other records are deleted, so that later requests find these.
    if named and case.method != "DELETE":
        case.path_parameters = {**case.path_parameters, **named}
