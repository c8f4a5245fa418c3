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
WIDGET_KEY = os.environ["CONTRACT_WIDGET_KEY"]
KEY = "Idempotency-Key"

keys: set[str] = set()


@schemathesis.hook
def before_call(_: Any, case: Any, __: Any) -> None:
    if _names_a_client(case.body):
        case.body = {**case.body, "client_id": CLIENT_ID}
    if _names_a_client(case.query):
        case.query = {**case.query, "client_id": CLIENT_ID}
    if case.path.startswith("/api/widget/"):
        _from_a_page(case)
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


def _from_a_page(case: Any) -> None:
    """As the widget calls. No document says which address there is, and what its signature is."""
    case.query = {**(case.query or {}), "api_key": WIDGET_KEY}
    case.headers["Origin"] = "https://shop.example"
    if isinstance(case.body, Mapping) and isinstance(case.body.get("customer_email"), str):
        case.body = {**case.body, "customer_email": "a@b.example"}
    if isinstance(case.body, Mapping) and isinstance(case.body.get("user_signature"), str):
        case.body = {name: case.body[name] for name in case.body if name != "user_signature"}
