"""A link that signs a person in once: an embedded stack prints one for the demo's owner.

Of its token only the SHA-256 is stored. That is enough: the token is 256 random bits.
"""

import hashlib
from base64 import urlsafe_b64encode
from datetime import timedelta
from typing import Final

TOKEN_BYTES: Final = 32
LASTS: Final = timedelta(hours=12)
LINK_PATH: Final = "/app/enter"


def link_token(random: bytes) -> str:
    """A token from TOKEN_BYTES random bytes."""
    return urlsafe_b64encode(random).rstrip(b"=").decode()


def token_digest(token: str) -> bytes:
    """What a presented token is looked up by."""
    return hashlib.sha256(token.encode()).digest()
