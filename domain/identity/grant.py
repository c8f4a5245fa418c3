"""OAuth authorization requests, and the grants that result from a user's consent.

A consent creates a short-lived authorization code, which the OAuth client exchanges for an API key.
Only its SHA-256 is stored: 256 random bits cannot be guessed.
"""

import hashlib
import re
from base64 import urlsafe_b64encode
from collections.abc import Mapping, Set
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from domain.identity.errors import OAuthError, OAuthRefused
from domain.identity.pkce import is_challenge
from domain.tenants.scopes import EVERY_SCOPE, Scope, scopes_of

CODE_BYTES: Final = 32
CODE_LASTS: Final = timedelta(minutes=5)
CODE_KEPT: Final = timedelta(hours=24)
"""The period for which an authorization code is kept, to detect its reuse."""

_SHAPE: Final = re.compile(r"[A-Za-z0-9_-]{43}")


@dataclass(frozen=True, slots=True)
class AccessRequest:
    """An authorization request. `scopes`: the requested scopes, in the order of EVERY_SCOPE."""

    challenge: str
    scopes: tuple[Scope, ...]


@dataclass(frozen=True, slots=True)
class OAuthGrant:
    """A user's consent for an OAuth client, with the scopes and label of the API key. None means
    all scopes."""

    client_id: str
    user_id: str
    oauth_client_id: str
    label: str
    redirect_uri: str
    challenge: str
    scopes: tuple[Scope, ...] | None


def access_request(given: Mapping[str, str], resource: str) -> AccessRequest:
    """Return the access requested by an authorization request. Raises OAuthRefused if a parameter
    is invalid.

    The caller must check the client and redirect URI. `resource` is the URL of this server's
    resource.
    """
    if "response_type" not in given:
        raise _invalid("response_type is missing")
    if given["response_type"] != "code":
        raise OAuthRefused(OAuthError.UNSUPPORTED_RESPONSE_TYPE, "response_type: code is needed")
    check_resource(given, resource)
    if given.get("code_challenge_method") != "S256":
        raise _invalid("code_challenge_method: S256 is needed")
    if not is_challenge(given.get("code_challenge", "")):
        raise _invalid("code_challenge: a SHA-256 in base64url is needed")
    return AccessRequest(given["code_challenge"], _asked(given.get("scope", "")))


def check_resource(given: Mapping[str, str], resource: str) -> None:
    """Raise OAuthRefused (invalid_target) if the request asks for a key for another server (RFC
    8707).

    Older clients send no `resource`, so a missing parameter is accepted.
    """
    if given.get("resource", resource) != resource:
        raise OAuthRefused(OAuthError.INVALID_TARGET, f"resource: {resource} is the only one")


def narrowed(asked: tuple[Scope, ...], kept: Set[str]) -> tuple[Scope, ...] | None:
    """Return the requested scopes that the user grants, or None if the user grants all existing
    scopes.

    Raises OAuthRefused (invalid_scope) if no scope is left.
    """
    left = tuple(scope for scope in asked if scope in kept)
    if not left:
        raise OAuthRefused(OAuthError.INVALID_SCOPE, "at least one scope is needed")
    return None if left == EVERY_SCOPE else left


def written(scopes: tuple[Scope, ...] | None) -> str:
    """Return the granted scopes as space-separated text for the token response."""
    return " ".join(EVERY_SCOPE if scopes is None else scopes)


def code_text(random: bytes) -> str:
    """Return an authorization code, generated from CODE_BYTES random bytes."""
    if len(random) != CODE_BYTES:
        raise ValueError("a code is made of 32 random bytes")
    return urlsafe_b64encode(random).rstrip(b"=").decode()


def code_digest(text: str) -> bytes | None:
    """Return the digest used to look up a presented code, or None if the text is not a well-formed
    code."""
    if _SHAPE.fullmatch(text) is None:
        return None
    return hashlib.sha256(text.encode()).digest()


def _asked(scope: str) -> tuple[Scope, ...]:
    names = scope.split()
    known = scopes_of(names)
    if len(known) != len(set(names)):
        raise OAuthRefused(OAuthError.INVALID_SCOPE, "scope: one of these is not known here")
    return tuple(one for one in EVERY_SCOPE if one in known or not names)


def _invalid(what: str) -> OAuthRefused:
    return OAuthRefused(OAuthError.INVALID_REQUEST, what)
