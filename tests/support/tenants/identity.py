"""Session tokens for tests: valid ones, forged ones, and a provider with published keys."""

import asyncio
import base64
import hashlib
import hmac
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import cast

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

from adapters.identity.session_key import AUDIENCE as OUR_AUDIENCE
from adapters.identity.session_key import ISSUER as OUR_ISSUER
from adapters.identity.session_key import SessionKeys
from adapters.system import utc_now
from domain.tenants.user import User
from settings import Settings

ISSUER = "https://login.example/"
AUDIENCE = "the service"

PrivateKey = ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey


def ec_key() -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())


def rsa_key(bits: int = 2048) -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=bits)


def public_jwk(key: PrivateKey, kid: str, **more: object) -> dict[str, object]:
    if isinstance(key, ec.EllipticCurvePrivateKey):
        parts = ECAlgorithm.to_jwk(key.public_key(), as_dict=True)
    else:
        parts = RSAAlgorithm.to_jwk(key.public_key(), as_dict=True)
    return {**cast("dict[str, object]", parts), "kid": kid, **more}


def claims(user_id: object = "user-1", **more: object) -> dict[str, object]:
    """Return the claims of a valid token. A value of None removes the claim."""
    now = int(utc_now().timestamp())
    good: dict[str, object] = {
        "iss": ISSUER, "aud": AUDIENCE, "sub": user_id, "iat": now, "exp": now + 3600, **more
    }  # fmt: skip
    return {name: value for name, value in good.items() if value is not None}


def segment(content: object) -> str:
    """Return one encoded part of a token."""
    raw = content if isinstance(content, bytes) else json.dumps(content).encode()
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def signed_with_hmac(header: dict[str, object], body: dict[str, object], secret: bytes) -> str:
    """Return a token that PyJWT refuses to create, whose HMAC key is a public key."""
    signing_input = f"{segment(header)}.{segment(body)}"
    return f"{signing_input}.{segment(hmac.digest(secret, signing_input.encode(), hashlib.sha256))}"


def session_token(settings: Settings, user_id: str, *, admin: bool = False) -> str:
    """Return a token from our own provider, as `cli.py token` creates it."""
    assert settings.identity.session_key is not None
    keys = SessionKeys(settings.identity.session_key.get_secret_value())
    return keys.sign(User(user_id, admin), utc_now())


def own_token(settings: Settings, user_id: str, **more: object) -> str:
    """Return a token from our own provider with claims that it would not issue."""
    assert settings.identity.session_key is not None
    keys = SessionKeys(settings.identity.session_key.get_secret_value())
    body = claims(user_id, iss=OUR_ISSUER, aud=OUR_AUDIENCE, **more)
    return jwt.encode(body, keys._signing, "ES256", headers={"kid": keys._kid})


def bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


class Clock:
    """A clock that advances when the test sets it."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Provider:
    """A third-party identity provider over HTTP on a local port."""

    url: str = ""
    requests: int = 0
    status: int = 200
    document: object = None
    keys: dict[str, PrivateKey] = field(default_factory=dict)
    answering: asyncio.Event = field(default_factory=asyncio.Event)

    def publish(self, **keys: PrivateKey) -> None:
        self.keys = dict(keys)
        self.document = {"keys": [public_jwk(key, kid) for kid, key in keys.items()]}

    def token(self, kid: str, body: dict[str, object] | None = None) -> str:
        key = self.keys[kid]
        algorithm = "ES256" if isinstance(key, ec.EllipticCurvePrivateKey) else "RS256"
        return jwt.encode(body or claims(), key, algorithm=algorithm, headers={"kid": kid})

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await reader.readuntil(b"\r\n\r\n")
            self.requests += 1
            await self.answering.wait()
            body = json.dumps(self.document).encode()
            head = f"HTTP/1.1 {self.status} X\r\nLocation: {self.url}\r\nConnection: close\r\n"
            writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
            await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # the caller disconnected
        finally:
            writer.close()


def signed_by_hand(provider: Provider, header: dict[str, object], body: dict[str, object]) -> str:
    """Return a token signed with the key `first`. PyJWT would not create some of these tokens."""
    raw = f"{segment({'alg': 'ES256', **header})}.{segment(body)}"
    signature = jwt.get_algorithm_by_name("ES256").sign(raw.encode(), provider.keys["first"])
    return f"{raw}.{segment(signature)}"


@asynccontextmanager
async def identity_provider() -> AsyncIterator[Provider]:
    """Run a provider with one key, `first`."""
    provider = Provider()
    provider.publish(first=ec_key())
    provider.answering.set()
    server = await asyncio.start_server(provider.answer, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    provider.url = f"http://127.0.0.1:{port}/.well-known/jwks.json"
    try:
        yield provider
    finally:
        provider.answering.set()
        server.close()
        await server.wait_closed()
