"""Every known way to forge a session token."""

from collections.abc import Callable

import jwt
import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from jwt.warnings import InsecureKeyLengthWarning

from adapters.identity.session import SessionVerifier, session_verifier
from domain.tenants.errors import Unauthenticated
from tests.support.tenants.identity import (
    Provider,
    claims,
    ec_key,
    identity_provider,
    public_jwk,
    rsa_key,
    segment,
    signed_by_hand,
    signed_with_hmac,
)
from tests.support.tenants.sessions import external, refused

NO_UTF8 = bytes((0xFF, 0xFE))
RSA_ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512")


@pytest.mark.parametrize("named", [None, "RS384", "PS512"])
async def test_algorithms_of_an_rsa_key(provider: Provider, named: str | None) -> None:
    """A key without an algorithm can be used with all configured algorithms; otherwise only with
    its own."""
    configured = ("RS384", "RS512", "PS256", "PS384", "PS512", "ES256")
    alg = {"alg": named} if named else {}
    key = provider.keys["rsa"]
    provider.document = {"keys": [public_jwk(key, "rsa", **alg)]}
    verifier = session_verifier(
        external(provider.url, jwt_algorithms=", ".join(configured)).identity
    )
    assert verifier is not None

    accepted = []
    for algorithm in RSA_ALGORITHMS:
        token = jwt.encode(claims(), key, algorithm, headers={"kid": "rsa"})
        try:
            accepted.append(algorithm if await verifier.verify(token) else "")
        except Unauthenticated:
            continue
    for forged in (_with_hmac(), _with_hmac(as_jwk=True), *map(_unsigned, ("none", "RS384"))):
        await refused(verifier, forged(provider))
    await verifier.close()

    assert accepted == ([named] if named else [a for a in RSA_ALGORITHMS if a in configured])


async def test_key_that_may_be_another_kinds(provider: Provider) -> None:
    """An `alg` for another key type makes a key unusable, whatever is configured."""
    key = provider.keys["rsa"]
    provider.document = {
        "keys": [
            public_jwk(key, "rsa", alg="ES256"),
            public_jwk(ec_key(), "first", alg="RS256"),
            {"kty": "oct", "kid": "shared", "k": segment(b"s" * 32), "alg": "RS256"},
            public_jwk(key, "none", alg="none"),
            public_jwk(key, "good"),
        ]
    }
    verifier = session_verifier(external(provider.url).identity)
    assert verifier is not None

    for kid in ("rsa", "shared", "none"):
        await refused(verifier, jwt.encode(claims(), key, "RS256", headers={"kid": kid}))
    await refused(verifier, provider.token("first"))
    good = jwt.encode(claims(), key, "RS256", headers={"kid": "good"})
    assert (await verifier.verify(good)).id == "user-1"
    await verifier.close()


Forger = Callable[[Provider], str]


def _with_header(**header: object) -> Forger:
    return lambda provider: signed_by_hand(provider, {"kid": "first", **header}, claims())


def _with_hmac(*, as_jwk: bool = False) -> Forger:
    def forge(provider: Provider) -> str:
        key = provider.keys["rsa"]
        pem = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
        secret = segment(public_jwk(key, "rsa")).encode() if as_jwk else pem
        return signed_with_hmac({"alg": "HS256", "kid": "rsa"}, claims(), secret)

    return forge


def _unsigned(alg: str) -> Forger:
    return lambda _: f"{segment({'alg': alg, 'kid': 'first'})}.{segment(claims())}."


def _stranger(**header: object) -> Forger:
    return lambda _: jwt.encode(claims(), ec_key(), "ES256", headers=header)


def _with_rsa(algorithm: str) -> Forger:
    return lambda provider: jwt.encode(
        claims(), provider.keys["rsa"], algorithm, headers={"kid": "rsa"}
    )


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
        _with_rsa("RS512"),
        _with_rsa("PS256"),
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
