"""Session tokens at the gateway: members, owners, internal admins, and accepted issuers."""

from collections.abc import AsyncIterator

import pytest

from adapters.system import new_ulid, utc_now
from domain.tenants.client import Role
from store.tenants.members import MemberRepository
from tests.api.core.test_auth import post, resources
from tests.support.core.engine import GATEWAY, LiveEngine, live_engine
from tests.support.core.temporal import TemporalServer
from tests.support.tenants.identity import (
    AUDIENCE,
    ISSUER,
    bearer,
    claims,
    identity_provider,
    segment,
    session_token,
    signed_with_hmac,
)
from tests.support.tenants.shop import Shop, open_shop


@pytest.fixture
async def engine(front: LiveEngine) -> LiveEngine:
    return front


@pytest.fixture
async def shop(engine: LiveEngine) -> Shop:
    """A shop whose playbook matches none of these events, so no worker is needed."""
    return await open_shop(engine.database, event_type="something.else")


@pytest.mark.parametrize("role", [Role.ADMIN, Role.AGENT])
async def test_members(engine: LiveEngine, shop: Shop, role: Role) -> None:
    other, user_id = await open_shop(engine.database), new_ulid()
    headers = bearer(session_token(engine.settings, user_id))
    assert (await post(engine, shop.client_id, headers)).status_code == 403

    async with engine.database.service() as connection:
        members = MemberRepository(connection)
        await members.ensure_user(user_id, f"{user_id}@example.com", utc_now())
        await members.add(shop.client_id, user_id, role, utc_now())
    assert (await post(engine, shop.client_id.lower(), headers)).status_code == 200
    assert (await post(engine, other.client_id, headers)).status_code == 403

    async with engine.database.service() as connection:
        await MemberRepository(connection).remove(shop.client_id, user_id)
    assert (await post(engine, shop.client_id, headers)).status_code == 403


async def test_owner(engine: LiveEngine, shop: Shop) -> None:
    headers = bearer(session_token(engine.settings, shop.owner_user_id))

    assert (await post(engine, shop.client_id, headers)).status_code == 200


async def test_stranger_cannot_tell_clients_from_none(engine: LiveEngine, shop: Shop) -> None:
    headers = bearer(session_token(engine.settings, new_ulid()))

    answers = [
        await post(engine, client_id, headers)
        for client_id in (shop.client_id, new_ulid(), "not-a-ulid", "8" * 26)
    ]
    assert {answer.status_code for answer in answers} == {403}
    assert {(a.json()["error"], a.json()["code"]) for a in answers} == {
        ("Acces refuse.", "access_denied")
    }


async def test_internal_admin(engine: LiveEngine, shop: Shop) -> None:
    headers = bearer(session_token(engine.settings, "somebody", admin=True))

    assert (await post(engine, shop.client_id.lower(), headers)).status_code == 200
    for unknown in (new_ulid(), "not-a-ulid"):
        answer = await post(engine, unknown, headers)
        assert (answer.status_code, answer.json()["error"]) == (404, "Client non trouve")


async def test_forged_session_token(engine: LiveEngine, shop: Shop) -> None:
    """One of the many cases in `tests/adapters/identity/test_session.py`: here they return 401."""
    none = f"{segment({'alg': 'none'})}.{segment(claims(shop.owner_user_id))}."
    hmac = signed_with_hmac({"alg": "HS256"}, claims(shop.owner_user_id), b"")
    for token in (none, hmac):
        answer = await post(engine, shop.client_id, bearer(token))
        assert (answer.status_code, answer.json()["error"]) == (401, "Non autorise.")


async def test_session_token_in_the_query(engine: LiveEngine, shop: Shop) -> None:
    token = session_token(engine.settings, shop.owner_user_id)
    for name in ("api_key", "token", "access_token"):
        answer = await engine.http.post(f"{GATEWAY}?{name}={token}", json={})
        assert answer.status_code == 401


@pytest.fixture
async def without_sessions(
    database_url: str, temporal: TemporalServer
) -> AsyncIterator[LiveEngine]:
    async with live_engine(database_url, temporal.address, "default", session_key=None) as engine:
        yield engine


async def test_published_keys(engine: LiveEngine) -> None:
    answer = await engine.http.get("/.well-known/jwks.json")

    keys = resources(engine).session_keys
    assert keys is not None
    assert (answer.status_code, answer.json()) == (200, keys.published)
    assert "max-age" in answer.headers["cache-control"]


async def test_without_a_provider(without_sessions: LiveEngine, engine: LiveEngine) -> None:
    token = session_token(engine.settings, "somebody", admin=True)

    assert (await post(without_sessions, new_ulid(), bearer(token))).status_code == 401
    assert (await without_sessions.http.get("/.well-known/jwks.json")).status_code == 404


async def test_another_provider(
    database_url: str, temporal: TemporalServer, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its tokens are accepted, ours are not, and we publish no keys."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    async with (
        identity_provider() as provider,
        live_engine(
            database_url, temporal.address, "default",
            jwt_jwks_url=provider.url, jwt_issuer=ISSUER, jwt_audience=AUDIENCE,
        ) as engine,
    ):  # fmt: skip
        theirs = provider.token("first", claims(shop.owner_user_id))
        ours = session_token(engine.settings, shop.owner_user_id)
        assert (await post(engine, shop.client_id, bearer(theirs))).status_code == 200
        assert (await post(engine, shop.client_id, bearer(ours))).status_code == 401
        assert (await engine.http.get("/.well-known/jwks.json")).status_code == 404
