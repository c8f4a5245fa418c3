"""Hook for the schemathesis process: its requests are about reviews that exist.

In turn, for each can be decided once only. Cursors are left out: nobody can make one up.
"""

import itertools
import os
from typing import Any

import schemathesis

CLIENT_ID = os.environ["CONTRACT_CLIENT_ID"]
REVIEW_IDS = itertools.cycle(os.environ["CONTRACT_REVIEW_IDS"].split(","))


@schemathesis.hook
def before_call(_: Any, case: Any, __: Any) -> None:
    if "review_id" in (case.path_parameters or {}):
        case.path_parameters = {**case.path_parameters, "review_id": next(REVIEW_IDS)}
    query = case.query or {}
    known = {name: value for name, value in query.items() if name != "cursor"}
    if isinstance(known.get("client_id"), str):
        known["client_id"] = CLIENT_ID
    if known != query:
        case.query = known
