"""Session tokens: which issuers are accepted, and which claims are rejected."""

import pytest

from adapters.identity.session import SessionVerifier, session_keys, session_verifier
from adapters.system import utc_now
from domain.tenants.user import User
from tests.support.tenants.identity import (
    AUDIENCE,
    ISSUER,
    Provider,
    claims,
    own_token,
    session_token,
    signed_by_hand,
)
from tests.support.tenants.sessions import external, own, refused

NOW = int(utc_now().timestamp())
HOUR = 3600


@pytest.mark.parametrize("kid", ["first", "rsa"])
async def test_good_token(verifier: SessionVerifier, provider: Provider, kid: str) -> None:
    assert await verifier.verify(provider.token(kid)) == User("user-1", is_admin=False)


def by_now(claimed: dict[str, object]) -> dict[str, object]:
    """Return the claims with current times, because minutes may have passed since they were
    created."""
    since = int(utc_now().timestamp()) - NOW
    return {
        name: value + since if name in ("exp", "nbf", "iat") and isinstance(value, int) else value
        for name, value in claimed.items()
    }


@pytest.mark.parametrize(
    "more",
    [
        {"aud": [AUDIENCE]},
        {"aud": ["another", AUDIENCE]},
        {"exp": NOW - 5},
        {"iat": NOW + 5},
        {"nbf": NOW + 5},
        {"nbf": NOW - HOUR},
    ],
)
async def test_edges_that_pass(
    verifier: SessionVerifier, provider: Provider, more: dict[str, object]
) -> None:
    body = claims(**by_now(more))

    assert (await verifier.verify(provider.token("first", body))).id == "user-1"


@pytest.mark.parametrize(
    "more",
    [
        {"exp": None},
        {"iat": None},
        {"aud": None},
        {"iss": None},
        {"sub": None},
        {"exp": NOW - HOUR},
        {"exp": NOW - 30},
        {"exp": "soon"},
        {"exp": []},
        {"exp": float("-inf")},
        {"nbf": NOW + HOUR},
        {"nbf": NOW + 60},
        {"iat": NOW + 60},
        {"aud": "anon"},
        {"aud": ["anon"]},
        {"aud": []},
        {"aud": {AUDIENCE: 1}},
        {"aud": [AUDIENCE, 5]},
        {"iss": ISSUER.rstrip("/")},
        {"iss": "https://evil.example/"},
        {"iss": [ISSUER]},
        {"sub": ""},
        {"sub": 5},
        {"sub": ["user-1"]},
        {"sub": "user\x00"},
        {"sub": "user\ud800"},
        {"sub": "u" * 256},
        {"sub": "operator:root"},
    ],
)
async def test_claims_that_are_refused(
    verifier: SessionVerifier, provider: Provider, more: dict[str, object]
) -> None:
    await refused(verifier, signed_by_hand(provider, {"kid": "first"}, claims(**by_now(more))))


async def test_admins_of_another_provider_are_listed(
    verifier: SessionVerifier, provider: Provider
) -> None:
    async def is_admin(user_id: str, **more: object) -> bool:
        return (await verifier.verify(provider.token("first", claims(user_id, **more)))).is_admin

    assert await is_admin("boss")
    assert await is_admin("user|2")
    assert not await is_admin("Boss")
    assert not await is_admin("user-1", internal_admin=True)


async def test_own_token() -> None:
    settings = own(admin_user_ids="boss")
    verifier = session_verifier(settings.identity)
    assert verifier is not None

    assert await verifier.verify(session_token(settings, "u")) == User("u", is_admin=False)
    assert await verifier.verify(session_token(settings, "u", admin=True)) == User(
        "u", is_admin=True
    )
    assert await verifier.verify(session_token(settings, "boss")) == User("boss", is_admin=True)
    await refused(verifier, session_token(own(), "u"))


@pytest.mark.parametrize("claim", [1, "true", [True], {"a": 1}, False])
async def test_only_true_makes_an_admin(claim: object) -> None:
    settings = own()
    verifier = session_verifier(settings.identity)
    assert verifier is not None
    token = own_token(settings, "u", internal_admin=claim)

    assert not (await verifier.verify(token)).is_admin


async def test_another_provider_takes_our_own_ones_place(provider: Provider) -> None:
    settings = external(provider.url)
    verifier = session_verifier(settings.identity)
    assert verifier is not None

    assert session_keys(settings.identity) is None
    await refused(verifier, session_token(settings, "user-1", admin=True))
    await verifier.close()


def test_no_provider() -> None:
    assert session_verifier(own(session_key=None).identity) is None
    assert session_keys(own(session_key=None).identity) is None
