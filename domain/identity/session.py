"""The session: a user who stays signed in, in a browser or by a refresh token.

Of its secret only the SHA-256 is stored. That is enough: the secret is 256 random bits, so there is
nothing to guess.
"""

import hashlib
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

SECRET_BYTES: Final = 32
# The first half of a refresh token stays the same as long as the session lasts. Each half alone is
# too long to guess.
_FAMILY_BYTES: Final = 16

_SHAPE: Final = re.compile(r"(ws|rs)_[A-Za-z0-9_-]{43}")


class SessionKind(StrEnum):
    BROWSER = "browser"
    """Carried by a cookie."""
    REFRESH = "refresh"
    """Carried by an API caller, who gets session tokens (JWT) for it. Each use replaces it."""


_PREFIXES: Final = {SessionKind.BROWSER: "ws_", SessionKind.REFRESH: "rs_"}

IDLE: Final = {SessionKind.BROWSER: timedelta(hours=12), SessionKind.REFRESH: timedelta(days=14)}
"""How long a session lasts that is not used."""

LONGEST: Final = {SessionKind.BROWSER: timedelta(days=30), SessionKind.REFRESH: timedelta(days=90)}
"""How long a session lasts at most, from its sign-in on."""


@dataclass(frozen=True, slots=True)
class Session:
    """`used_at`: when it was last seen, to the minute. `network`: where it was opened from.
    `agent`: the browser or program, as it calls itself."""

    id: str
    user_id: str
    kind: SessionKind
    network: str
    agent: str
    created_at: datetime
    used_at: datetime

    def is_alive(self, now: datetime) -> bool:
        """Whether it has neither rested nor lasted too long."""
        return now < min(self.used_at + IDLE[self.kind], self.created_at + LONGEST[self.kind])


def session_secret(kind: SessionKind, random: bytes) -> str:
    """A secret from SECRET_BYTES random bytes."""
    if len(random) != SECRET_BYTES:
        raise ValueError("a session's secret is made of 32 random bytes")
    return _PREFIXES[kind] + urlsafe_b64encode(random).rstrip(b"=").decode()


def secret_digest(kind: SessionKind, secret: str) -> bytes | None:
    """What to look a presented secret up by; None if it has not the shape of one."""
    if _SHAPE.fullmatch(secret) is None or not secret.startswith(_PREFIXES[kind]):
        return None
    return hashlib.sha256(secret.encode()).digest()


def following_token(token: str, random: bytes) -> str:
    """The refresh token that takes the place of one, of the same family; from SECRET_BYTES bytes
    that only this service can make. `token`: of the right shape."""
    return session_secret(
        SessionKind.REFRESH, _family(token) + random[: SECRET_BYTES - _FAMILY_BYTES]
    )


def family_digest(token: str) -> bytes:
    """What to look up a session by of which a refresh token, old or new, is presented. `token`: of
    the right shape."""
    return hashlib.sha256(_family(token)).digest()


def _family(token: str) -> bytes:
    text = token.removeprefix(_PREFIXES[SessionKind.REFRESH])
    return urlsafe_b64decode(text + "=")[:_FAMILY_BYTES]
