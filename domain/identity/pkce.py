"""PKCE (RFC 7636) by S256 alone: only the client that asked for a code can use it."""

import hashlib
import hmac
import re
from base64 import urlsafe_b64encode
from typing import Final

_CHALLENGE: Final = re.compile(r"[A-Za-z0-9_-]{43}")
_VERIFIER: Final = re.compile(r"[A-Za-z0-9._~-]{43,128}")


def is_challenge(text: str) -> bool:
    """Whether a text can be a SHA-256 in base64url without padding."""
    return _CHALLENGE.fullmatch(text) is not None


def is_verifier(text: str) -> bool:
    return _VERIFIER.fullmatch(text) is not None


def challenge_of(verifier: str) -> str:
    """The challenge that fits a verifier of the right shape."""
    digest = hashlib.sha256(verifier.encode("ascii")).digest()
    return urlsafe_b64encode(digest).rstrip(b"=").decode()


def fits(verifier: str, challenge: str) -> bool:
    """Compared in constant time. A text of another shape fits nothing."""
    return is_verifier(verifier) and hmac.compare_digest(challenge_of(verifier), challenge)
