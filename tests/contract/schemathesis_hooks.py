"""Hooks for the schemathesis process: half of its requests are about a client that exists.

Without them every generated client_id would be somebody else's, and no request would come further
than its 403.
"""

import os
from typing import Any

import schemathesis

CLIENT_ID = os.environ["CONTRACT_CLIENT_ID"]


@schemathesis.hook
def map_body(_: Any, body: Any) -> Any:
    if isinstance(body, dict) and isinstance(body.get("client_id"), str) and len(body) % 2:
        return {**body, "client_id": CLIENT_ID}
    return body


@schemathesis.hook
def map_query(_: Any, query: Any) -> Any:
    if isinstance(query, dict) and isinstance(query.get("client_id"), str):
        return {**query, "client_id": CLIENT_ID}
    return query
