"""Hook for the schemathesis process: its requests reach the engine.

They are about the client and the run that exist: every generated client_id would be somebody
else's, and no request would come further than its 403. What is no id at all (another type, blank)
stays: it has to be refused. And an Idempotency-Key comes once: generated ones are short and soon
repeated with another body, a 422.
"""

import os
from collections.abc import Mapping
from typing import Any

import schemathesis

CLIENT_ID = os.environ["CONTRACT_CLIENT_ID"]
RUN_ID = os.environ["CONTRACT_RUN_ID"]
KEY = "Idempotency-Key"

keys: set[str] = set()


@schemathesis.hook
def before_call(_: Any, case: Any, __: Any) -> None:
    if _names_a_client(case.body):
        case.body = {**case.body, "client_id": CLIENT_ID}
    if _names_a_client(case.query):
        case.query = {**case.query, "client_id": CLIENT_ID}
    if "run_id" in (case.path_parameters or {}):
        case.path_parameters = {**case.path_parameters, "run_id": RUN_ID}
    key = case.headers.get(KEY)
    if isinstance(key, str) and key in keys:
        del case.headers[KEY]
    elif isinstance(key, str):
        keys.add(key)


def _names_a_client(fields: object) -> bool:
    if not isinstance(fields, Mapping):
        return False
    client_id = fields.get("client_id")
    return isinstance(client_id, str) and bool(client_id.strip())
