"""The first wall: every route, with another tenant's key or session token.

"Not yours" and "not there" are one.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import httpx
import pytest
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute

from adapters.system import new_ulid
from tests.support.content.content import CONTENT_ROUTES, of_client
from tests.support.core.engine import GATEWAY, LiveEngine
from tests.support.core.rows import row_counts
from tests.support.exports.export import EXPORT
from tests.support.reviews.dashboard import ACTIONS, REVIEWS
from tests.support.tenants.identity import bearer, session_token
from tests.support.tenants.shop import ORDER_QUESTION, Shop, open_shop
from tests.support.webhooks.webhook_dashboard import ABOUT_ONE, NEW, WEBHOOKS

USAGE = "/api/billing/usage"
RUNS = "/api/dashboard/runs"
METRICS = "/api/dashboard/metrics"
CHURN = "/api/dashboard/churn"

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
# Of people who are signed in, tried in `test_reviews.py`: no key opens them.
OF_REVIEWS = {
    ("GET", REVIEWS),
    ("GET", REVIEWS + "/{review_id}"),
    *(("POST", f"{REVIEWS}/{{review_id}}/{what}") for what in ACTIONS),
}
# The same for a session token of the client's owner: no key is let in.
OF_THE_DASHBOARD: dict[tuple[str, str], list[Request]] = {
    ("GET", RUNS): [lambda client_id: {"params": {"client_id": client_id}}],
    ("GET", RUNS + "/{run_id}"): [lambda client_id: {"params": {"client_id": client_id}}],
    ("GET", METRICS): [lambda client_id: {"params": {"client_id": client_id}}],
    ("GET", CHURN): [lambda client_id: {"params": {"client_id": client_id}}],
    ("GET", WEBHOOKS): [lambda client_id: {"params": {"client_id": client_id}}],
    ("POST", WEBHOOKS): [lambda client_id: {"json": {**NEW, "client_id": client_id}}],
    **{(method, path): [partial(of_client, body=body)] for method, path, body in CONTENT_ROUTES},
}
# Each of one webhook, tried in `test_webhooks.py`.
OF_WEBHOOKS = {(method, WEBHOOKS + path) for method, path, _ in ABOUT_ONE.values()}
# Its client is always the caller's own, whatever the request says: `test_export.py`.
OF_THE_CALLER = {("GET", EXPORT)}
# Routes that know no client: the public half of a key pair, health, the API's own page, and what
# webhooks are told.
ABOUT_NOBODY = {
    ("GET", "/docs"),
    ("GET", "/docs/oauth2-redirect"),
    ("GET", "/redoc"),
    ("GET", "/healthz"),
    ("GET", "/readyz"),
    ("GET", "/.well-known/jwks.json"),
    ("GET", "/api/webhook-events"),
    ("GET", "/api/webhook-events/{event}"),
}


def routes(engine: LiveEngine) -> set[tuple[str, str]]:
    return {
        (method, route.path) for route in _flat(engine.app.routes) for method in route.methods or ()
    }


def _flat(routes: Iterable[BaseRoute]) -> Iterator[APIRoute]:
    """Included routers hold their routes in themselves."""
    for route in routes:
        if isinstance(route, APIRoute):
            yield route
        else:
            inner = getattr(route, "original_router", None)
            yield from _flat(inner.routes if inner is not None else ())


async def test_every_route_is_one_of_these(front: LiveEngine) -> None:
    """A new route has to be added above, so that it is tried with another tenant's key."""
    every = set(ABOUT_A_CLIENT) | set(OF_THE_DASHBOARD) | OF_REVIEWS | OF_WEBHOOKS | OF_THE_CALLER
    every |= ABOUT_NOBODY
    assert routes(front) == every


@pytest.mark.parametrize(("method", "path"), sorted(ABOUT_A_CLIENT | OF_THE_DASHBOARD))
async def test_anothers_client_looks_like_none(
    front: LiveEngine, shop: Shop, method: str, path: str
) -> None:
    other = await open_shop(front.database)
    before = await row_counts(front.database)
    for request in (ABOUT_A_CLIENT | OF_THE_DASHBOARD)[method, path]:
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
    mine = shop.headers
    if (method, path) in OF_THE_DASHBOARD:
        mine = bearer(session_token(engine.settings, shop.owner_user_id))
    headers = {**mine, **request.pop("headers", {})}
    return await engine.http.request(method, path, headers=headers, **request)


def _without_request_id(answer: httpx.Response) -> dict[str, Any]:
    body: dict[str, Any] = answer.json()
    assert body.pop("request_id") == answer.headers["x-request-id"]
    return body


def _stable_headers(answer: httpx.Response) -> list[str]:
    """The names; what counts down or names the request may differ."""
    return sorted(answer.headers)
