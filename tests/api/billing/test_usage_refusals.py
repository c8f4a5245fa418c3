"""GET /api/billing/usage: every error."""

import pytest

from adapters.system import new_ulid, utc_now
from api.resources import Resources
from domain.core.ids import TenantId
from domain.tenants.actor import Actor
from store.tenants.keys import KeyRepository
from tests.support.billing.usage import USAGE, ask, assert_refused
from tests.support.core.engine import ENGINE_SECRET, LiveEngine, database_away
from tests.support.tenants.shop import Shop, open_shop


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"authorization": "Bearer ak_" + "0" * 32},
        {"authorization": "Bearer ak_short"},
        {"authorization": "Basic YWs6"},
        {"x-engine-secret": ENGINE_SECRET},
        {"x-internal-secret": ENGINE_SECRET},
        {"authorization": f"Bearer {ENGINE_SECRET}"},
    ],
)
async def test_unknown_caller(front: LiveEngine, shop: Shop, headers: dict[str, str]) -> None:
    for params in ({}, {"client_id": shop.client_id}):
        answer = await front.http.get(USAGE, params=params, headers=headers)
        assert_refused(answer, 401, "Non autorise.", "unauthenticated")
        assert answer.headers["www-authenticate"] == "Bearer"


async def test_key_in_the_query_is_no_key(front: LiveEngine, shop: Shop) -> None:
    params = {"client_id": shop.client_id, "api_key": shop.key}

    assert (await front.http.get(USAGE, params=params)).status_code == 401


async def test_revoked_key_stops_at_once(front: LiveEngine, shop: Shop) -> None:
    assert (await ask(front, shop)).status_code == 200
    async with front.database.service() as connection:
        await KeyRepository(connection).revoke(shop.key_id, utc_now())

    assert (await ask(front, shop)).status_code == 401


@pytest.mark.parametrize("query", ["", "?client_id", "?client_id=", "?client_id=%20", "?id=x"])
async def test_client_id_missing(front: LiveEngine, shop: Shop, query: str) -> None:
    answer = await front.http.get(f"{USAGE}{query}", headers=shop.headers)

    assert_refused(answer, 400, "Missing client_id", "client_id_missing")


async def test_client_id_twice(front: LiveEngine, shop: Shop) -> None:
    params = {"client_id": [shop.client_id, shop.client_id]}

    answer = await front.http.get(USAGE, params=params, headers=shop.headers)

    assert_refused(answer, 400, "client_id donné plusieurs fois", "client_id_repeated")


@pytest.mark.parametrize("wrap", [" {}", "{} ", "{}\n", "{}\0", "{},{}", "{}\ud7ff"])
async def test_client_id_with_something_around(front: LiveEngine, shop: Shop, wrap: str) -> None:
    answer = await ask(front, shop, wrap.replace("{}", shop.client_id))

    assert_refused(answer, 403, "Acces refuse.", "access_denied")


async def test_another_client_looks_like_none(front: LiveEngine, shop: Shop) -> None:
    other = await open_shop(front.database)
    for client_id in (other.client_id, new_ulid(), "not-a-ulid", "%FF"):
        answer = await ask(front, shop, client_id)
        assert_refused(answer, 403, "Acces refuse.", "access_denied")


async def test_unknown_client_for_a_caller_of_all_clients(
    front: LiveEngine, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def allow(_caller: object, wanted: str, _resources: Resources) -> tuple[TenantId, Actor]:
        return TenantId(wanted), Actor.system("test")

    monkeypatch.setattr("api.access.authorize", allow)

    answer = await ask(front, shop, new_ulid())

    assert_refused(answer, 404, "Client introuvable.", "client_not_found")


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"])
async def test_other_methods(front: LiveEngine, shop: Shop, method: str) -> None:
    answer = await front.http.request(
        method, f"{USAGE}?client_id={shop.client_id}", headers=shop.headers
    )

    assert answer.status_code == 405
    assert answer.headers["allow"] == "GET"
    if method != "HEAD":
        assert answer.json()["error"] == "Méthode non autorisée"


async def test_no_other_spelling_of_the_path(front: LiveEngine, shop: Shop) -> None:
    for path in (f"{USAGE}/", "/api/billing/Usage", "/api/billing"):
        answer = await front.http.get(path, headers=shop.headers)
        assert_refused(answer, 404, "Route introuvable", "route_not_found")


async def test_database_away(front: LiveEngine, shop: Shop) -> None:
    with database_away(front.app.state.resources.database):
        answer = await ask(front, shop)

    assert_refused(answer, 500, "Erreur interne.", "engine_unavailable")
