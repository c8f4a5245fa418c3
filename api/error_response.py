"""Build the response to an error from the table in `api/errors.py`."""

import math
from typing import Final

import structlog
from starlette.requests import Request
from starlette.responses import Response

from api.errors import ANSWERS
from api.http.json_body import json_response
from api.route_family import RouteFamily, route_family
from domain.core.errors import DomainError, Fact, InternalError

_log = structlog.get_logger(__name__)

# RFC 9110 requires a 401 response to name an authentication scheme that the route accepts.
_BEARER: Final = "Bearer"


def error_response(error: DomainError, request_id: str, request: Request | None = None) -> Response:
    """Return the JSON response to an error. An unlisted error is an internal error. `request` is
    None for an error before HTTP parsing."""
    answer = ANSWERS.get(type(error))
    if answer is None:
        _log.error("error without an entry in the error table", code=error.code)
        return error_response(InternalError(), request_id, request)
    links = _links(request.app.state.dashboard_url) if request else {}
    facts = {**error.facts, **links}
    surface = route_family(request.scope["path"]) if request else RouteFamily.OTHER
    body: dict[str, Fact] = {
        "error": answer.text_on(surface).format_map(facts),
        "code": error.code,
        "request_id": request_id,
        **{name: facts[name] for name in answer.fields},
    }
    response = json_response(body, status=answer.status)
    challenge = answer.challenge or (_BEARER if answer.status == 401 else None)
    if challenge is not None:
        response.headers["www-authenticate"] = challenge.format_map(facts)
    if error.retry_after_s is not None:
        response.headers["retry-after"] = str(max(1, math.ceil(error.retry_after_s)))
    return response


def _links(dashboard_url: str) -> dict[str, Fact]:
    """Return dashboard links for a caller whose quota is exhausted: one to upgrade the plan, and
    one to buy credits."""
    return {
        "upgrade_url": f"{dashboard_url}/billing/plan",
        "credits_url": f"{dashboard_url}/billing/credits",
    }
