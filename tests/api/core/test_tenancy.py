"""The first wall: every route, with another tenant's key.

"Not yours" and "not there" are one.
"""

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from adapters.system import new_ulid
from tests.support.core.engine import GATEWAY, LiveEngine
from tests.support.core.rows import row_counts
from tests.support.exports.export import EXPORT
from tests.support.tenants.access import ACCESS
from tests.support.tenants.served_routes import routes_of
from tests.support.tenants.shop import ORDER_QUESTION, Shop, open_shop

USAGE = "/api/billing/usage"

Request = Callable[[str], dict[str, Any]]
"""What to ask a route about a client_id."""

ABOUT_A_CLIENT: dict[tuple[str, str], list[Request]] = {
    ("POST", GATEWAY): [
        lambda client_id: {"json": {"client_id": client_id, "message": ORDER_QUESTION}},
        lambda client_id: {"json": {"client_id": client_id, "message": "x", "is_test": True}},
        lambda client_id: {
            "json": {"client_id": client_id, "message": "x"},
            "headers": {"idempotency-key": "shared"},
        },
    ],
    ("GET", USAGE): [lambda client_id: {"params": {"client_id": client_id}}],
}
# Its client is always the caller's own, whatever the request says: `test_export.py`, and
# `tests/api/mcp/`.
OF_THE_CALLER = {("GET", EXPORT), ("POST", "/api/mcp")}
# Routes that know no client: the public half of a key pair, health, the API's own page, what
# webhooks are told, and the widget's script.
ABOUT_NOBODY = {
    ("GET", "/docs"),
    ("GET", "/docs/oauth2-redirect"),
    ("GET", "/redoc"),
    ("GET", "/healthz"),
    ("GET", "/readyz"),
    ("GET", "/widget.js"),
    ("GET", "/.well-known/jwks.json"),
    ("GET", "/api/webhook-events"),
    ("GET", "/api/webhook-events/{event}"),
}
# Of a person, whichever clients are theirs: signing in (`tests/api/identity/`), and the pages.
OF_A_PERSON = {
    ("POST", "/api/auth/signup"),
    ("POST", "/api/auth/verify"),
    ("POST", "/api/auth/refresh"),
    ("POST", "/api/auth/sign-out"),
}
_METADATA = (
    "/.well-known/oauth-protected-resource",
    "/.well-known/oauth-protected-resource/api/mcp",
    "/.well-known/oauth-authorization-server",
    "/.well-known/oauth-authorization-server/api/mcp",
    "/.well-known/openid-configuration",
    "/.well-known/openid-configuration/api/mcp",
    "/api/mcp/.well-known/openid-configuration",
)
_OAUTH = ("/api/mcp/register", "/api/mcp/token", "/token", "/api/mcp/revoke")
# Of OAuth clients, which name no client of ours: a person chooses it, and the code or the key that
# is presented says whose it is (`tests/api/identity/`).
OF_A_PROGRAM = {
    *((method, path) for path in _METADATA for method in ("GET", "OPTIONS")),
    *((method, path) for path in _OAUTH for method in ("POST", "OPTIONS")),
    ("GET", "/authorize"),
    ("POST", "/authorize"),
}
# Stripe's signature says who calls, and its event whose it is: `tests/api/billing/`. Of a
# platform's webhook the address says whose it is, or the account that it names:
# `tests/api/inbound/`. The link of a rating names the run: `tests/api/ratings/`.
SIGNED = {
    ("POST", "/api/payments/stripe/webhook"),
    ("POST", "/api/webhooks/shopify"),
    ("POST", "/api/webhooks/stripe"),
    ("POST", "/api/webhooks/{provider}/{token}"),
}
# Of a page that shows the widget: its key says whose it is, and a token which session
# (`tests/api/widget/`).
_OF_THE_WIDGET = {
    "chat": "POST",
    "config": "GET",
    "messages": "GET",
    "seen": "POST",
    "rating": "POST",
    "email": "POST",
    "verify": "POST",
}
OF_A_PAGE = {
    (method, f"/api/widget/{name}")
    for name, own in _OF_THE_WIDGET.items()
    for method in (own, "OPTIONS")
}


# Of a member, who names the client in the body: a table of its own each.
OF_A_MEMBER = {
    ("POST", "/api/copilot/chat"),  # tests/api/copilot/test_copilot_chat.py
    ("POST", "/api/simulator/chat"),  # tests/api/simulation/test_simulator.py
}
# Of an operator, for every client at once (`tests/api/tenants/test_automation.py`).
OF_AN_OPERATOR = {
    ("GET", "/api/operator/automation"),
    ("POST", "/api/operator/automation/stop"),
    ("POST", "/api/operator/automation/resume"),
}


async def test_every_route_is_one_of_these(front: LiveEngine) -> None:
    """A new route has to be added above, so that it is tried with another tenant's key.

    Those of the dashboard have a table of their own, which `test_access.py` tries; pages
    have another one (`tests/api/dashboard/`).
    """
    routes = {one for one in routes_of(front.app) if not _is_page(one[1])}
    known = (
        OF_THE_CALLER | ABOUT_NOBODY | OF_A_PERSON | OF_A_PROGRAM | SIGNED | OF_A_PAGE | OF_A_MEMBER
    )
    assert routes == known | OF_AN_OPERATOR | set(ABOUT_A_CLIENT) | set(ACCESS)


def _is_page(path: str) -> bool:
    return path == "/app" or path.startswith("/app/")


@pytest.mark.parametrize(("method", "path"), sorted(ABOUT_A_CLIENT))
async def test_anothers_client_looks_like_none(
    front: LiveEngine, shop: Shop, method: str, path: str
) -> None:
    other = await open_shop(front.database)
    before = await row_counts(front.database)
    for request in ABOUT_A_CLIENT[method, path]:
        not_mine = await _ask(front, shop, method, path, request(other.client_id))
        not_there = await _ask(front, shop, method, path, request(new_ulid()))
        no_ulid = await _ask(front, shop, method, path, request("nobody"))

        assert not_mine.status_code == not_there.status_code == no_ulid.status_code == 403
        bodies = [_without_request_id(a) for a in (not_mine, not_there, no_ulid)]
        assert bodies[0] == bodies[1] == bodies[2] == {
            "error": "Acces refuse.", "code": "access_denied"
        }  # fmt: skip
        headers = [_stable_headers(answer) for answer in (not_mine, not_there)]
        assert headers[0] == headers[1]
    assert await row_counts(front.database) == before


async def _ask(
    engine: LiveEngine, shop: Shop, method: str, path: str, request: dict[str, Any]
) -> httpx.Response:
    headers = {**shop.headers, **request.pop("headers", {})}
    return await engine.http.request(method, path, headers=headers, **request)


def _without_request_id(answer: httpx.Response) -> dict[str, Any]:
    body: dict[str, Any] = answer.json()
    assert body.pop("request_id") == answer.headers["x-request-id"]
    return body


def _stable_headers(answer: httpx.Response) -> list[str]:
    """The names; what counts down or names the request may differ."""
    return sorted(answer.headers)
