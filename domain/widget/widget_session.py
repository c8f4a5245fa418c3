"""A widget session: the conversation with one visitor in one browser.

The browser holds a token that consists of the session's id and a keyed digest of the id. Knowing or
guessing an id does not give access to the session. Inside the service, only the id is used, as the
`session_id` of the session's events. Once a code has verified the session, the earlier token no
longer gives access. Another user of the browser may have read or planted that token.
"""

import base64
import hmac
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from pydantic import BaseModel, ConfigDict

from domain.core.ids import first_ulid, parse_ulid
from domain.core.ports import Sealer

SESSION_LASTS: Final = timedelta(days=30)
"""Time after the last message at which a session ends. The next message starts another session."""

MAX_TOKEN: Final = 200
"""Maximum length of a session token that is accepted, in characters. Our tokens are shorter."""


class VerifiedBy(StrEnum):
    """How a visitor's address was verified: by the merchant's signature, or with a mailed code."""

    SIGNATURE = "signature"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class HeldSession:
    """The session identified by a browser's token. `is_proved`: whether the token was issued for a
    correct code."""

    id: str
    is_proved: bool

    def opens(self, verified_by: VerifiedBy | None) -> bool:
        """Return True if the token gives access to the session in its current state. `verified_by`:
        how the session was verified."""
        return self.is_proved or verified_by is not VerifiedBy.CODE


class WidgetSession(BaseModel):
    """A stored widget session.

    `verified_email`: the verified address, or None for an unverified visitor. `last_number`: the
    number of the session's latest message. `seen_number`: the number of the latest message that was
    shown to the visitor.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    verified_email: str | None = None
    verified_by: VerifiedBy | None = None
    language: str
    last_number: int = 0
    seen_number: int = 0
    used_at: datetime


def session_token(
    sealer: Sealer, client_id: str, session_id: str, *, is_proved: bool = False
) -> str:
    """Return the session token for the browser. The token is valid only for this client.
    `is_proved`: whether the token is issued for a correct code."""
    named = _named(client_id, session_id, is_proved=is_proved)
    return f"{session_id}.{_mark(sealer.digests(named)[0])}"


def held_session(sealer: Sealer, client_id: str, token: str) -> HeldSession | None:
    """Return the session identified by a token, or None if this service did not sign the token."""
    given, _, mark = token[:MAX_TOKEN].partition(".")
    session_id = parse_ulid(given)
    if session_id is None or session_id != given:
        return None
    # A list evaluates every comparison. A generator would stop at the first match.
    same = [
        (hmac.compare_digest(_mark(digest).encode(), mark.encode()), is_proved)
        for is_proved in (False, True)
        for digest in sealer.digests(_named(client_id, session_id, is_proved=is_proved))
    ]
    found = [is_proved for is_same, is_proved in same if is_same]
    return HeldSession(session_id, found[0]) if found else None


def may_begin(session_id: str, now: datetime) -> bool:
    """Return True if a session that has no database row may start. Its id must be younger than
    SESSION_LASTS."""
    return session_id >= first_ulid(now - SESSION_LASTS)


def _named(client_id: str, session_id: str, *, is_proved: bool) -> str:
    kind = "verified widget session" if is_proved else "widget session"
    return f"{kind}/{client_id}/{session_id}"


def _mark(digest: bytes) -> str:
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")
