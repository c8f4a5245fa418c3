"""A narrowed key: each route that accepts keys requires its scope, and names it in the error."""

import secrets
from collections.abc import Collection

import httpx
import pytest

from adapters.system import new_ulid, utc_now
from domain.tenants.api_key import KEY_BYTES, new_key
from domain.tenants.errors import InsufficientScope
from domain.tenants.scopes import EVERY_SCOPE, Scope, require_scope, scopes_of
from store.tenants.keys import KeyRepository
from tests.support.core.engine import LiveEngine
from tests.support.tenants.identity import bearer
from tests.support.tenants.shop import Shop, open_shop

ROUTES = {
    Scope.EVENTS_WRITE: ("POST", "/api/engine/gateway"),
    Scope.USAGE_READ: ("GET", "/api/billing/usage"),
    Scope.EXPORT_READ: ("GET", "/api/client/export-data"),
}


async def key_with(front: LiveEngine, shop: Shop, scopes: Collection[str] | None) -> str:
    text, material = new_key(secrets.token_bytes(KEY_BYTES))
    async with front.database.service() as connection:
        await KeyRepository(connection).create(
            key_id=new_ulid(),
            client_id=shop.client_id,
            label="narrow",
            material=material,
            now=utc_now(),
            scopes=scopes,
        )
    return text


async def call(front: LiveEngine, shop: Shop, key: str, route: Scope) -> httpx.Response:
    method, path = ROUTES[route]
    named = {"client_id": shop.client_id}
    event = {**named, "event_type": "nobody.listens"} if method == "POST" else None
    return await front.http.request(method, path, params=named, headers=bearer(key), json=event)


@pytest.mark.parametrize("needed", ROUTES)
async def test_a_scope_that_lacks_is_named(front: LiveEngine, needed: Scope) -> None:
    shop = await open_shop(front.database, event_type="something.else")
    narrow = await key_with(front, shop, set(EVERY_SCOPE) - {needed})
    right = await key_with(front, shop, {needed})
    without_any = await key_with(front, shop, ())
    whole = await key_with(front, shop, None)

    refused = await call(front, shop, narrow, needed)

    assert refused.status_code == 403
    assert refused.json()["code"] == "insufficient_scope"
    assert refused.json()["error"] == f"Cette clé n'a pas le droit « {needed} »."
    challenge = refused.headers["www-authenticate"]
    assert challenge == f'Bearer error="insufficient_scope", scope="{needed}"'
    assert (await call(front, shop, without_any, needed)).status_code == 403
    assert (await call(front, shop, right, needed)).status_code == 200
    assert (await call(front, shop, whole, needed)).status_code == 200
    others = {route: (await call(front, shop, right, route)).status_code for route in ROUTES}
    assert others == {route: 200 if route is needed else 403 for route in ROUTES}


def test_scopes_by_name() -> None:
    assert scopes_of(["usage:read", "usage:write", "", "export:read"]) == {
        Scope.USAGE_READ,
        Scope.EXPORT_READ,
    }
    require_scope(None, Scope.EXPORT_READ)
    require_scope({"export:read"}, Scope.EXPORT_READ)
    with pytest.raises(InsufficientScope):
        require_scope(frozenset(), Scope.EXPORT_READ)
