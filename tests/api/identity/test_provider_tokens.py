"""The provider's response: every known way to forge an ID token."""

import base64
import hashlib
from collections.abc import Callable

import jwt
import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from tests.support.core.engine import LiveEngine
from tests.support.identity.oidc import (
    come_back,
    is_in,
)
from tests.support.identity.sign_in import browser
from tests.support.servers.openid_provider import ACCESS_TOKEN, CLIENT_ID, Claims, OidcProvider
from tests.support.tenants.identity import public_jwk, rsa_key, segment, signed_with_hmac

Forge = Callable[[OidcProvider, Claims], str]


def said(**claims: object) -> Forge:
    """Return a valid signature over other claims; a claim that is None is missing."""

    def forge(provider: OidcProvider, good: Claims) -> str:
        changed = {**good, **claims}
        return provider.sign({name: one for name, one in changed.items() if one is not None})

    return forge


def headed(**header: object) -> Forge:
    return lambda provider, claims: provider.sign(claims, **header)


def unsigned(provider: OidcProvider, claims: Claims) -> str:
    return f"{segment({'alg': 'none', 'kid': 'k1'})}.{segment(claims)}."


def signed_by_the_public_key(provider: OidcProvider, claims: Claims) -> str:
    public = provider.key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    return signed_with_hmac({"alg": "HS256", "kid": "k1"}, claims, public)


def signed_by_the_clients_secret(provider: OidcProvider, claims: Claims) -> str:
    return signed_with_hmac({"alg": "HS256", "kid": "k1"}, claims, b"known to the two of us")


def signed_by_another_key(provider: OidcProvider, claims: Claims) -> str:
    key = rsa_key()
    header = {"kid": "k1", "jwk": public_jwk(key, "k1")}
    return jwt.encode(claims, key, "RS256", headers=header)


def changed_afterwards(provider: OidcProvider, claims: Claims) -> str:
    head, _, signature = provider.sign(claims).split(".")
    return f"{head}.{segment({**claims, 'sub': 'somebody else'})}.{signature}"


def without_a_keys_name(provider: OidcProvider, claims: Claims) -> str:
    return jwt.encode(claims, provider.key, "RS256")


def no_token(*_: object) -> str:
    return "no token"


@pytest.mark.parametrize(
    "forge",
    [
        unsigned,
        signed_by_the_public_key,
        signed_by_the_clients_secret,
        signed_by_another_key,
        changed_afterwards,
        headed(kid="k2"),
        headed(crit=["b64"]),
        said(aud="another client"),
        said(aud=["another client", CLIENT_ID]),
        said(aud=["another client", CLIENT_ID], azp="another client"),
        said(azp="another client"),
        said(iss="https://login.example"),
        said(exp=1_700_000_000),
        said(iat=4_000_000_000),
        said(nonce=None),
        said(nonce="of another sign-in"),
        said(nonce=["n"]),
        said(sub=None),
        said(sub=""),
        said(sub="a\0b"),
        said(exp=None),
        said(iat=None),
        said(at_hash="AAAAAAAAAAAAAAAAAAAAAA"),
        no_token,
    ],
)
async def test_a_token_that_proves_nothing_lets_nobody_in(
    provided: LiveEngine, provider: OidcProvider, sub: str, forge: Forge
) -> None:
    provider.forge = lambda claims: forge(provider, claims)
    async with browser(provided) as client:
        answer = await come_back(client, provider, sub)

        assert answer.status_code == 502
        assert provider.asked_for("/token") == 1
        assert not await is_in(client)


_HALF = hashlib.sha256(ACCESS_TOKEN.encode()).digest()[:16]


@pytest.mark.parametrize(
    "forge",
    [
        without_a_keys_name,
        said(aud=["another client", CLIENT_ID], azp=CLIENT_ID),
        said(at_hash=base64.urlsafe_b64encode(_HALF).rstrip(b"=").decode()),
    ],
)
async def test_a_token_may_be_good_in_several_ways(
    provided: LiveEngine, provider: OidcProvider, sub: str, forge: Forge
) -> None:
    provider.forge = lambda claims: forge(provider, claims)
    async with browser(provided) as client:
        assert (await come_back(client, provider, sub)).headers["location"] == "/app"
        assert await is_in(client)
