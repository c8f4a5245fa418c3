"""The routes outside `/api/dashboard/` that accept a session token, with their roles."""

from dataclasses import dataclass
from typing import Any, Final

import httpx

from domain.tenants.client import Role
from tests.support.core.engine import LiveEngine
from tests.support.tenants.access import ALL, MANAGERS, REVIEWERS
from tests.support.tenants.served_routes import Route
from tests.support.tenants.shop import Shop


@dataclass(frozen=True)
class SessionAccess:
    """The access rules of a route. `body` is the smallest accepted one. `names_client` means that a
    GET's query, or a POST's body, names the client."""

    roles: frozenset[Role]
    body: dict[str, Any] | None = None
    names_client: bool = True


SESSION_ACCESS: Final[dict[Route, SessionAccess]] = {
    ("POST", "/api/engine/gateway"): SessionAccess(
        REVIEWERS, {"event_type": "voice.call", "message": "Bonjour"}
    ),
    ("GET", "/api/billing/usage"): SessionAccess(ALL),
    ("GET", "/api/client/export-data"): SessionAccess(MANAGERS, names_client=False),
    # The playbook does not exist. The role is checked first, so no worker is needed.
    ("POST", "/api/simulator/chat"): SessionAccess(
        REVIEWERS, {"message": "Bonjour", "playbook_id": "01J00000000000000000000000"}
    ),
    ("POST", "/api/copilot/chat"): SessionAccess(
        ALL, {"messages": [{"role": "user", "content": "Combien de tickets ?"}]}
    ),
    # For internal admins only.
    ("GET", "/api/operator/automation"): SessionAccess(frozenset(), names_client=False),
    **{
        ("POST", f"/api/operator/automation/{what}"): SessionAccess(
            frozenset(), {}, names_client=False
        )
        for what in ("stop", "resume")
    },
}


async def request_as(
    front: LiveEngine, shop: Shop, route: Route, headers: dict[str, str]
) -> httpx.Response:
    """Send the route's smallest request for the shop."""
    method, path = route
    access = SESSION_ACCESS[route]
    named = {"client_id": shop.client_id} if access.names_client else {}
    if access.body is None:
        return await front.http.request(method, path, params=named, headers=headers)
    return await front.http.request(method, path, json=access.body | named, headers=headers)
