"""Tenant isolation: every route, with another tenant's key.

Another client's record and a missing one are indistinguishable.
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
"""The request that tests a route with a client_id."""

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
# Its client is always the caller's own, whatever the request contains: `test_export.py`, and
# `tests/api/mcp/`.
OF_THE_CALLER = {("GET", EXPORT), ("POST", "/api/mcp")}
# Routes without a client: the public key, health, the API's own page, webhook events, and the
# widget script.
ABOUT_NOBODY = {
    ("GET", "/docs"),
    ("GET", "/docs/oauth2-redirect"),
    ("GET", "/docs/guide"),
    ("GET", "/docs/guide/{path:path}"),
    ("GET", "/redoc"),
    ("GET", "/healthz"),
    ("GET", "/readyz"),
    ("GET", "/widget.js"),
    ("GET", "/.well-known/jwks.json"),
    ("GET", "/api/webhook-events"),
    ("GET", "/api/webhook-events/{event}"),
}
# Routes of a user across clients: sign-in (`tests/api/identity/`), and the pages.
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
# Routes of OAuth clients, which name none of our clients: the user chooses one, and the code or key
# identifies it (`tests/api/identity/`).
OF_A_PROGRAM = {
    *((method, path) for path in _METADATA for method in ("GET", "OPTIONS")),
    *((method, path) for path in _OAUTH for method in ("POST", "OPTIONS")),
    ("GET", "/authorize"),
    ("POST", "/authorize"),
}
# Stripe's signature authenticates the caller, and its event identifies the client:
# `tests/api/billing/`. For a platform's webhook, the address or the named account identifies the
# client: `tests/api/inbound/`. A rating link identifies the run: `tests/api/ratings/`.
SIGNED = {
    ("POST", "/api/payments/stripe/webhook"),
    ("POST", "/api/webhooks/shopify"),
    ("POST", "/api/webhooks/stripe"),
    ("POST", "/api/webhooks/{provider}/{token}"),
}
# Routes of a page with the widget: its key identifies the client, and a token the session
# (`tests/api/widget/`).
_OF_THE_WIDGET = {
    "chat": "POST",
    "config": "GET",
    "messages": "GET",
    "seen": "POST",
    "rating": "POST",
    "email": "POST",
    "verify": "POST",
    "attachments/{attachment_id}": "GET",
}
OF_A_PAGE = {
    (method, f"/api/widget/{name}")
    for name, own in _OF_THE_WIDGET.items()
    for method in (own, "OPTIONS")
}


# Routes of a member, who names the client in the body: each has its own table.
OF_A_MEMBER = {
    ("POST", "/api/copilot/chat"),  # tests/api/copilot/test_copilot_chat.py
    ("POST", "/api/simulator/chat"),  # tests/api/simulation/test_simulator.py
}
# Routes of an operator, for all clients (`tests/api/tenants/test_automation.py`).
OF_AN_OPERATOR = {
    ("GET", "/api/operator/automation"),
    ("POST", "/api/operator/automation/stop"),
    ("POST", "/api/operator/automation/resume"),
}


async def test_every_route_is_one_of_these(front: LiveEngine) -> None:
    """A new route must be added above, so that it is tested with another tenant's key.

    `test_access.py` tests the dashboard routes with their own table. The pages have another one
    (`tests/api/dashboard/`).
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
    before = [await row_counts(front.database, of=one) for one in (shop, other)]
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
    assert [await row_counts(front.database, of=one) for one in (shop, other)] == before


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
    """Return the header names without countdowns and request ids."""
    return sorted(answer.headers)
