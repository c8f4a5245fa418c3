"""The session of a signed-in user, in a browser or with a refresh token.

Only the secret's SHA-256 is stored. No slow hash is needed, because 256 random bits cannot be
guessed.
"""

import hashlib
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

SECRET_BYTES: Final = 32
# The first half of a refresh token stays the same for the whole session. Each half alone is too
# long to be guessed.
_FAMILY_BYTES: Final = 16

_SHAPE: Final = re.compile(r"(ws|rs)_[A-Za-z0-9_-]{43}")


class SessionKind(StrEnum):
    BROWSER = "browser"
    """A browser session. Its secret is stored in a cookie."""
    REFRESH = "refresh"
    """A session for an API caller, who exchanges the refresh token for session tokens (JWT). Each
    exchange replaces the refresh token."""


_PREFIXES: Final = {SessionKind.BROWSER: "ws_", SessionKind.REFRESH: "rs_"}

IDLE: Final = {SessionKind.BROWSER: timedelta(hours=12), SessionKind.REFRESH: timedelta(days=14)}
"""The period without use after which a session ends."""

LONGEST: Final = {SessionKind.BROWSER: timedelta(days=30), SessionKind.REFRESH: timedelta(days=90)}
"""Maximum lifetime of a session, measured from the sign-in."""


@dataclass(frozen=True, slots=True)
class Session:
    """A session of a signed-in user. `used_at` has the precision of a minute. `network` is the
    network of the sign-in. `agent` is the user agent."""

    id: str
    user_id: str
    kind: SessionKind
    network: str
    agent: str
    created_at: datetime
    used_at: datetime

    def is_alive(self, now: datetime) -> bool:
        """Return True if the session is within its idle time and its maximum lifetime."""
        return now < min(self.used_at + IDLE[self.kind], self.created_at + LONGEST[self.kind])


def session_secret(kind: SessionKind, random: bytes) -> str:
    """Return a session secret generated from SECRET_BYTES random bytes."""
    if len(random) != SECRET_BYTES:
        raise ValueError("a session's secret is made of 32 random bytes")
    return _PREFIXES[kind] + urlsafe_b64encode(random).rstrip(b"=").decode()


def secret_digest(kind: SessionKind, secret: str) -> bytes | None:
    """Return the digest used to look up a presented secret, or None if the text is not a
    well-formed secret."""
    if _SHAPE.fullmatch(secret) is None or not secret.startswith(_PREFIXES[kind]):
        return None
    return hashlib.sha256(secret.encode()).digest()


def following_token(token: str, random: bytes) -> str:
    """Return the token that replaces a refresh token within its session.

    `random` contains SECRET_BYTES bytes that only a holder of the service's key can compute.
    """
    return session_secret(
        SessionKind.REFRESH, _family(token) + random[: SECRET_BYTES - _FAMILY_BYTES]
    )


def family_digest(token: str) -> bytes:
    """Return the digest for finding the session of a well-formed refresh token, whether current or
    replaced."""
    return hashlib.sha256(_family(token)).digest()


def _family(token: str) -> bytes:
    text = token.removeprefix(_PREFIXES[SessionKind.REFRESH])
    return urlsafe_b64decode(text + "=")[:_FAMILY_BYTES]
