"""The session: a user who stays signed in, in a browser or by a refresh token.

Of its secret only the SHA-256 is stored. That is enough: the secret is 256 random bits, so there is
nothing to guess.
"""

import hashlib
import re
from base64 import urlsafe_b64encode
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

SECRET_BYTES: Final = 32

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
