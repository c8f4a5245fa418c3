"""The service's own identity provider: the session tokens, and the keys that sign them."""

import base64
import hashlib
import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

import jwt
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_der_private_key,
)
from jwt.algorithms import ECAlgorithm

from domain.tenants.user import User

ALGORITHM: Final = "ES256"
ISSUER: Final = "support-engine"
AUDIENCE: Final = "support-engine"
ADMIN_CLAIM: Final = "internal_admin"
LIFETIME: Final = timedelta(hours=1)


class SessionKeys:
    """The session token keys. The first one signs. All of them verify, so that keys can be
    rotated."""

    def __init__(self, keys: str) -> None:
        """Load P-256 private keys, comma-separated, newest first, each as PEM or base64 of DER.
        Raises ValueError."""
        private = [_private_key(text) for text in keys.split(",")]
        public = [_public_jwk(key) for key in private]
        self._signing = private[0]
        self._kid = public[0]["kid"]
        self._verifying = {jwk["kid"]: {ALGORITHM: jwt.PyJWK.from_dict(jwk)} for jwk in public}
        self.published: Final = {"keys": public}
        """The JWK set of the public keys."""

    def sign(self, user: User, now: datetime) -> str:
        """Return a token for the user, valid for LIFETIME."""
        claims: dict[str, object] = {
            "iss": ISSUER,
            "aud": AUDIENCE,
            "sub": user.id,
            "iat": int(now.timestamp()),
            "exp": int((now + LIFETIME).timestamp()),
        }
        if user.is_admin:
            claims[ADMIN_CLAIM] = True
        return jwt.encode(claims, self._signing, algorithm=ALGORITHM, headers={"kid": self._kid})

    async def find(self, kid: str) -> Mapping[str, jwt.PyJWK] | None:
        return self._verifying.get(kid)

    async def close(self) -> None:
        """Do nothing because there is no connection to close."""


def new_session_key() -> str:
    """Return a new private key as the base64 encoding of its DER, on one line."""
    der = ec.generate_private_key(ec.SECP256R1()).private_bytes(
        Encoding.DER, PrivateFormat.PKCS8, NoEncryption()
    )
    return base64.b64encode(der).decode()


def _private_key(text: str) -> ec.EllipticCurvePrivateKey:
    lines = text.strip().splitlines()
    body = "".join(line.strip() for line in lines if not line.startswith("-----"))
    try:
        key = load_der_private_key(base64.b64decode(body, validate=True), password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise ValueError("no private key") from None
    if isinstance(key, ec.EllipticCurvePrivateKey) and isinstance(key.curve, ec.SECP256R1):
        return key
    raise ValueError("no P-256 key")


def _public_jwk(key: ec.EllipticCurvePrivateKey) -> dict[str, str]:
    """Return the public key as a JWK. The key's name is its thumbprint, so that operators need not
    choose names."""
    parts: dict[str, str] = ECAlgorithm.to_jwk(key.public_key(), as_dict=True)
    return {**parts, "kid": thumbprint(parts), "use": "sig", "alg": ALGORITHM}


def thumbprint(jwk: Mapping[str, str]) -> str:
    """Return the thumbprint of an elliptic-curve key (RFC 7638)."""
    required = {name: jwk[name] for name in ("crv", "kty", "x", "y")}
    canonical = json.dumps(required, separators=(",", ":"), sort_keys=True)
    digest = base64.urlsafe_b64encode(hashlib.sha256(canonical.encode()).digest())
    return digest.rstrip(b"=").decode()
