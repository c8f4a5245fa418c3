"""Session tokens: what is accepted of whom, and every way to forge one that we know of."""

from collections.abc import AsyncIterator, Callable

import jwt
import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from jwt.warnings import InsecureKeyLengthWarning

from adapters.identity.session import SessionVerifier, session_keys, session_verifier
from adapters.system import utc_now
from domain.tenants.errors import Unauthenticated
from domain.tenants.user import User
from settings import Settings
from tests.support.core.engine import settings_of
from tests.support.tenants.identity import (
    AUDIENCE,
    ISSUER,
    Provider,
    claims,
    ec_key,
    identity_provider,
    own_token,
    public_jwk,
    rsa_key,
    segment,
    session_token,
    signed_with_hmac,
)

RSA = rsa_key()
NOW = int(utc_now().timestamp())
HOUR = 3600
NO_UTF8 = bytes((0xFF, 0xFE))


@pytest.fixture
async def provider(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Provider]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    async with identity_provider() as provider:
        provider.publish(first=ec_key(), rsa=RSA)
        yield provider


@pytest.fixture
async def verifier(provider: Provider) -> AsyncIterator[SessionVerifier]:
    verifier = session_verifier(external(provider.url).identity)
    assert verifier is not None
    yield verifier
    await verifier.close()


def external(url: str, **more: object) -> Settings:
    return settings_of(
        "postgresql://u@h/d", "h:1", jwt_jwks_url=url, jwt_issuer=ISSUER, jwt_audience=AUDIENCE,
        admin_user_ids="boss, user|2", **more,
    )  # fmt: skip


def own(**more: object) -> Settings:
    return settings_of("postgresql://u@h/d", "h:1", **more)


@pytest.mark.parametrize("kid", ["first", "rsa"])
async def test_good_token(verifier: SessionVerifier, provider: Provider, kid: str) -> None:
    assert await verifier.verify(provider.token(kid)) == User("user-1", is_admin=False)


RSA_ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512")


@pytest.mark.parametrize("named", [None, "RS384", "PS512"])
async def test_algorithms_of_an_rsa_key(provider: Provider, named: str | None) -> None:
    """One that names no algorithm may be used with all that are configured, else with that one."""
    configured = ("RS384", "RS512", "PS256", "PS384", "PS512", "ES256")
    alg = {"alg": named} if named else {}
    provider.document = {"keys": [public_jwk(RSA, "rsa", **alg)]}
    verifier = session_verifier(
        external(provider.url, jwt_algorithms=", ".join(configured)).identity
    )
    assert verifier is not None

    accepted = []
    for algorithm in RSA_ALGORITHMS:
        token = jwt.encode(claims(), RSA, algorithm, headers={"kid": "rsa"})
        try:
            accepted.append(algorithm if await verifier.verify(token) else "")
        except Unauthenticated:
            continue
    for forged in (_with_hmac(), _with_hmac(as_jwk=True), *map(_unsigned, ("none", "RS384"))):
        await refused(verifier, forged(provider))
    await verifier.close()

    assert accepted == ([named] if named else [a for a in RSA_ALGORITHMS if a in configured])


async def test_key_that_may_be_another_kinds(provider: Provider) -> None:
    """`alg` of another kind of key makes a key unusable, whatever is configured."""
    provider.document = {
        "keys": [
            public_jwk(RSA, "rsa", alg="ES256"),
            public_jwk(ec_key(), "first", alg="RS256"),
            {"kty": "oct", "kid": "shared", "k": segment(b"s" * 32), "alg": "RS256"},
            public_jwk(RSA, "none", alg="none"),
            public_jwk(RSA, "good"),
        ]
    }
    verifier = session_verifier(external(provider.url).identity)
    assert verifier is not None

    for kid in ("rsa", "shared", "none"):
        await refused(verifier, jwt.encode(claims(), RSA, "RS256", headers={"kid": kid}))
    await refused(verifier, provider.token("first"))
    good = jwt.encode(claims(), RSA, "RS256", headers={"kid": "good"})
    assert (await verifier.verify(good)).id == "user-1"
    await verifier.close()


def by_now(claimed: dict[str, object]) -> dict[str, object]:
    """The claims with their times moved on: minutes may have passed since they were made up."""
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
    ],
)
async def test_claims_that_are_refused(
    verifier: SessionVerifier, provider: Provider, more: dict[str, object]
) -> None:
    await refused(verifier, signed(provider, {"kid": "first"}, claims(**by_now(more))))


def signed(provider: Provider, header: dict[str, object], body: dict[str, object]) -> str:
    """Signed by hand with the first key: PyJWT would not make some of these."""
    raw = f"{segment({'alg': 'ES256', **header})}.{segment(body)}"
    signature = jwt.get_algorithm_by_name("ES256").sign(raw.encode(), provider.keys["first"])
    return f"{raw}.{segment(signature)}"


Forger = Callable[[Provider], str]


def _with_header(**header: object) -> Forger:
    return lambda provider: signed(provider, {"kid": "first", **header}, claims())


def _with_hmac(*, as_jwk: bool = False) -> Forger:
    def forge(provider: Provider) -> str:
        pem = RSA.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
        secret = segment(public_jwk(RSA, "rsa")).encode() if as_jwk else pem
        return signed_with_hmac({"alg": "HS256", "kid": "rsa"}, claims(), secret)

    return forge


def _unsigned(alg: str) -> Forger:
    return lambda _: f"{segment({'alg': alg, 'kid': 'first'})}.{segment(claims())}."


def _stranger(**header: object) -> Forger:
    return lambda _: jwt.encode(claims(), ec_key(), "ES256", headers=header)


def _own_key_in_the_header(_: Provider) -> str:
    key = ec_key()
    header = {"kid": "first", "jwk": public_jwk(key, "first")}
    return jwt.encode(claims(), key, "ES256", headers=header)


def _changed(provider: Provider) -> str:
    head, _, signature = provider.token("first").split(".")
    return f"{head}.{segment(claims('boss'))}.{signature}"


@pytest.mark.parametrize(
    "forge",
    [
        *map(_unsigned, ("none", "None", "NONE", "", "ES256", "HS256", "XX")),
        _with_hmac(),
        _with_hmac(as_jwk=True),
        _stranger(kid="first"),
        _stranger(),
        _own_key_in_the_header,
        _changed,
        *(_with_header(kid=kid) for kid in ("../../x", "", "no\x00ne", "é", "k" * 5000, "rsa")),
        _with_header(crit=["exp"], exp=5),
        _with_header(crit=["b64"], b64=True),
        _with_header(crit=[]),
        lambda _: jwt.encode(claims(), RSA, "RS512", headers={"kid": "rsa"}),
        lambda _: jwt.encode(claims(), RSA, "PS256", headers={"kid": "rsa"}),
    ],
)
async def test_forged(verifier: SessionVerifier, provider: Provider, forge: Forger) -> None:
    await refused(verifier, forge(provider))


async def test_header_cannot_name_a_source_of_keys(
    verifier: SessionVerifier, provider: Provider
) -> None:
    async with identity_provider() as evil:
        for header in ("jku", "x5u"):
            forged = jwt.encode(
                claims(), evil.keys["first"], "ES256", headers={"kid": "first", header: evil.url}
            )
            await refused(verifier, forged)
        assert evil.requests == 0

        named = jwt.encode(
            claims(), provider.keys["first"], "ES256", headers={"kid": "first", "jku": evil.url}
        )
        assert (await verifier.verify(named)).id == "user-1"
        assert evil.requests == 0


@pytest.mark.parametrize(
    "token",
    [
        "", ".", "..", "...", "a.b.c", "a.b", "é.è.ê", "\x00", "a" * 100_000, "." * 8000,
        "{}.{}.{}", f"{segment([])}.{segment({})}.", f"{segment({})}.{segment({})}.",
        f"{segment({'alg': 5, 'kid': 'first'})}.{segment({})}.",
        f"{segment({'alg': ['ES256'], 'kid': 'first'})}.{segment({})}.",
        f"{segment({'alg': 'ES256', 'kid': ['first']})}.{segment({})}.",
        f"{segment({'alg': 'ES256', 'kid': None})}.{segment({})}.",
        f"{segment(b'[' * 3000)}.{segment({})}.", f"{segment(NO_UTF8)}.{segment({})}.",
        f"{segment({'alg': 'ES256', 'kid': 'first'})}.{segment(b'[' * 3000)}.{segment(b'0' * 64)}",
    ],
)  # fmt: skip
async def test_garbage(verifier: SessionVerifier, token: str) -> None:
    await refused(verifier, token)


async def test_weak_key_of_a_provider(verifier: SessionVerifier, provider: Provider) -> None:
    provider.publish(weak=rsa_key(1024))
    with pytest.warns(InsecureKeyLengthWarning):
        token = provider.token("weak")

    await refused(verifier, token)


async def test_symmetric_key_of_a_provider(verifier: SessionVerifier, provider: Provider) -> None:
    secret = b"s" * 32
    provider.document = {"keys": [{"kty": "oct", "kid": "shared", "k": segment(secret)}]}

    await refused(verifier, signed_with_hmac({"alg": "HS256", "kid": "shared"}, claims(), secret))


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


async def refused(verifier: SessionVerifier, token: str) -> None:
    with pytest.raises(Unauthenticated):
        await verifier.verify(token)
