"""A one-time sign-in link that the embedded stack prints for the demo's owner. Only the SHA-256 of
its 256-bit random token is stored."""

import hashlib
from base64 import urlsafe_b64encode
from datetime import timedelta
from typing import Final

TOKEN_BYTES: Final = 32
LASTS: Final = timedelta(hours=12)
LINK_PATH: Final = "/app/enter"


def link_token(random: bytes) -> str:
    """Return a token generated from TOKEN_BYTES random bytes."""
    return urlsafe_b64encode(random).rstrip(b"=").decode()


def token_digest(token: str) -> bytes:
    """Return the digest used to look up a presented token."""
    return hashlib.sha256(token.encode()).digest()
