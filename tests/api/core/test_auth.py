"""Authentication schemes and the clients that each gives access to, at the gateway."""

import httpx
import pytest
from starlette.datastructures import Headers

from adapters.system import new_ulid, utc_now
from api.auth import (
    InternalWorker,
    authenticate,
    authenticate_gateway,
    body_key,
    limiter_key,
    tenant_of,
)
from api.resources import Resources
from domain.tenants.api_key import key_material
from domain.tenants.errors import NoClient, Unauthenticated
from domain.tenants.user import User
from store.tenants.keys import ActiveKey, KeyRepository
from tests.support.core.engine import ENGINE_SECRET, GATEWAY, LiveEngine, database_away, live_engine
from tests.support.core.temporal import TemporalServer
from tests.support.tenants.identity import bearer, own_token, session_token
from tests.support.tenants.shop import Shop, open_shop

KEY = "ak_" + "0" * 32
QUIET = "nobody.listens"


@pytest.fixture
async def engine(front: LiveEngine) -> LiveEngine:
    return front


@pytest.fixture
async def shop(engine: LiveEngine) -> Shop:
    """A shop whose playbook matches none of these events, so no worker is needed."""
    return await open_shop(engine.database, event_type="something.else")


async def post(
    engine: LiveEngine, client_id: str, headers: dict[str, str] | list[tuple[str, str]]
) -> httpx.Response:
    body = {"client_id": client_id, "event_type": QUIET}
    return await engine.http.post(GATEWAY, json=body, headers=headers)


def resources(engine: LiveEngine) -> Resources:
    found: Resources = engine.app.state.resources
    return found


@pytest.mark.parametrize(
    "authorization",
    [
        b"",
        b"Bearer",
        b"Bearer ",
        b"Bearer  ",
        b"Bearer  " + KEY.encode(),
        b"Bearer\t" + KEY.encode(),
        b"Basic YWs6",
        b"Basic " + KEY.encode(),
        KEY.encode(),
        b"Bearer ak_" + b"0" * 31,
        b"Bearer ak_" + b"0" * 33,
        b"Bearer ak_" + b"A" * 32,
        b"Bearer ak_" + b"g" * 32,
        b"Bearer AK_" + b"0" * 32,
        b"Bearer ak_" + b"0" * 31 + b"\x00",
        b"Bearer ak_" + b"0" * 100_000,
        b"Bearer mcp_" + b"0" * 31,
        b"Bearer mcp_" + b"0" * 33,
        b"Bearer mcp_" + b"A" * 32,
        b"Bearer mcp_",
        b"Bearer " + KEY.encode() + b" ",
        b"Bearer " + KEY.encode() + b", Bearer x",
        b"Bearer a.b.c",
        b"Bearer \xe9.\xe8.\xea",
        b"Bearer \x00",
        b"Bearer " + b"a" * 100_000,
        b"Bearer " + b"." * 8192,
    ],
)
async def test_bad_shapes_cost_no_query(engine: LiveEngine, authorization: bytes) -> None:
    with database_away(resources(engine).database) as at_least:
        answer = await engine.http.post(
            GATEWAY, json={}, headers=[(b"authorization", authorization)]
        )
        assert not await at_least(1)

    assert (answer.status_code, answer.json()["error"]) == (401, "Non autorise.")


async def test_good_shape_costs_one(engine: LiveEngine) -> None:
    """Verifies that the previous test would notice a query."""
    with database_away(resources(engine).database) as at_least:
        answer = await engine.http.post(GATEWAY, json={}, headers=bearer(KEY))
        assert await at_least(1)

    assert answer.status_code == 500


async def test_token_beyond_8_kilobytes_is_not_looked_at(engine: LiveEngine, shop: Shop) -> None:
    """Two valid tokens, a long one and one that is too long."""
    long = own_token(engine.settings, shop.owner_user_id, extra="x" * 5000)
    longer = own_token(engine.settings, shop.owner_user_id, extra="x" * 6200)
    assert len(long) < 8192 < len(longer)

    assert (await post(engine, shop.client_id, bearer(long))).status_code == 200
    assert (await post(engine, shop.client_id, bearer(longer))).status_code == 401


@pytest.mark.parametrize("name", ["x-engine-secret", "x-internal-secret"])
async def test_engine_secret_and_its_alias(engine: LiveEngine, shop: Shop, name: str) -> None:
    assert (await post(engine, shop.client_id, {name: ENGINE_SECRET})).status_code == 200


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
async def test_scheme_in_any_case(engine: LiveEngine, shop: Shop, scheme: str) -> None:
    headers = {"authorization": f"{scheme} {shop.key}"}

    assert (await post(engine, shop.client_id, headers)).status_code == 200


async def test_order_of_the_schemes(engine: LiveEngine, shop: Shop) -> None:
    other = await open_shop(engine.database, event_type="something.else")
    wrong = {"x-engine-secret": "wrong", "x-internal-secret": ""}

    assert (await post(engine, shop.client_id, {**wrong, **shop.headers})).status_code == 200
    assert (await post(engine, shop.client_id, {**wrong, **other.headers})).status_code == 403
    # The secret takes precedence: the bearer token is ignored, whether or not it is valid.
    secret = {"x-engine-secret": "wrong", "x-internal-secret": ENGINE_SECRET}
    assert (await post(engine, shop.client_id, {**secret, **other.headers})).status_code == 200
    assert (await post(engine, shop.client_id, {**secret, **bearer("x")})).status_code == 200


@pytest.mark.parametrize("presented", ["", " ", "None", "null"])
async def test_unset_secret_never_matches(
    database_url: str, temporal: TemporalServer, presented: str
) -> None:
    async with live_engine(database_url, temporal.address, "default", engine_secret=None) as engine:
        for name in ("x-engine-secret", "x-internal-secret"):
            assert (await post(engine, new_ulid(), {name: presented})).status_code == 401


async def test_secret_outside_of_ascii(database_url: str, temporal: TemporalServer) -> None:
    secret = "une clé à part, que personne ne devine"
    async with live_engine(
        database_url, temporal.address, "default", engine_secret=secret
    ) as engine:
        answers = [
            await engine.http.post(GATEWAY, json={}, headers=[(b"x-engine-secret", presented)])
            for presented in (secret.encode(), secret.encode("latin-1"))
        ]
    assert [answer.status_code for answer in answers] == [400, 401]


async def test_two_secrets(engine: LiveEngine, shop: Shop) -> None:
    headers = [("x-engine-secret", ENGINE_SECRET), ("x-engine-secret", "wrong")]

    assert (await post(engine, shop.client_id, headers)).status_code == 401


async def test_mcp_key_has_the_rights_of_a_key(engine: LiveEngine, shop: Shop) -> None:
    key, key_id = "mcp_" + "0123456789abcdef" * 2, new_ulid()
    material = key_material(key)
    assert material is not None
    other = await open_shop(engine.database)
    async with engine.database.service() as connection:
        await KeyRepository(connection).create(
            key_id=key_id, client_id=shop.client_id, label="m", material=material, now=utc_now()
        )

    assert (await post(engine, shop.client_id, bearer(key))).status_code == 200
    assert (await post(engine, other.client_id, bearer(key))).status_code == 403
    async with engine.database.service() as connection:
        await KeyRepository(connection).revoke(key_id, utc_now())
    assert (await post(engine, shop.client_id, bearer(key))).status_code == 401


async def test_bearer_only_where_it_is_not_the_gateway(engine: LiveEngine, shop: Shop) -> None:
    secret = Headers({"x-engine-secret": ENGINE_SECRET})
    token = session_token(engine.settings, "somebody")

    assert await authenticate_gateway(secret, resources(engine)) == InternalWorker()
    with pytest.raises(Unauthenticated):
        await authenticate(secret, resources(engine))
    key = await authenticate(Headers(shop.headers), resources(engine))
    assert key == ActiveKey(shop.key_id, shop.client_id, vouches=True)
    user = await authenticate(Headers(bearer(token)), resources(engine))
    assert user == User("somebody", is_admin=False)


async def test_tenant_of_a_caller(engine: LiveEngine, shop: Shop) -> None:
    key = ActiveKey(shop.key_id, shop.client_id)
    assert await tenant_of(key, resources(engine)) == shop.client_id
    owner = User(shop.owner_user_id, is_admin=False)
    assert await tenant_of(owner, resources(engine)) == shop.client_id
    with pytest.raises(NoClient):
        await tenant_of(User(new_ulid(), is_admin=True), resources(engine))


def test_callers_are_counted_apart() -> None:
    assert limiter_key(ActiveKey("1", "c")) == "key:1"
    assert limiter_key(User("1", is_admin=False)) == "user:1"
    assert body_key(InternalWorker(), "10.0.0.7") == "engine@10.0.0.7"
