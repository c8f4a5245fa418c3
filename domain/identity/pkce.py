"""PKCE (RFC 7636), with S256 only. With PKCE, only the OAuth client that requested an authorization
code can use the code."""

import hashlib
import hmac
import re
from base64 import urlsafe_b64encode
from typing import Final

_CHALLENGE: Final = re.compile(r"[A-Za-z0-9_-]{43}")
_VERIFIER: Final = re.compile(r"[A-Za-z0-9._~-]{43,128}")


def is_challenge(text: str) -> bool:
    """Return True if a text has the form of a SHA-256 in base64url without padding."""
    return _CHALLENGE.fullmatch(text) is not None


def is_verifier(text: str) -> bool:
    """Return True if a text is a well-formed code verifier."""
    return _VERIFIER.fullmatch(text) is not None


def challenge_of(verifier: str) -> str:
    """Return the code challenge for a well-formed verifier."""
    digest = hashlib.sha256(verifier.encode("ascii")).digest()
    return urlsafe_b64encode(digest).rstrip(b"=").decode()


def fits(verifier: str, challenge: str) -> bool:
    """Return True if the verifier matches the code challenge, in constant time. A malformed
    verifier never matches."""
    return is_verifier(verifier) and hmac.compare_digest(challenge_of(verifier), challenge)
