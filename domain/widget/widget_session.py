"""A widget session: one visitor's browser, and its conversation.

The browser holds a token: the session's id with a keyed digest of the id. Guessing or naming an id
opens no session. Inside the service only the id is used; it is the `session_id` of the session's
events. Once a code has verified the session, the earlier token no longer opens it: another user of
the browser may have read or planted that token.
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
"""Time after the last message at which a session ends; the next message starts another session."""

MAX_TOKEN: Final = 200
"""Maximum length of a token, in characters; our tokens are shorter."""


class VerifiedBy(StrEnum):
    """How a visitor's address was verified: by the merchant's signature, or by a mailed code."""

    SIGNATURE = "signature"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class HeldSession:
    """The session that a browser's token names. `is_proved`: the token was issued for a correct
    code."""

    id: str
    is_proved: bool

    def opens(self, verified_by: VerifiedBy | None) -> bool:
        """Return whether the token's holder may enter the session in its current state."""
        return self.is_proved or verified_by is not VerifiedBy.CODE


class WidgetSession(BaseModel):
    """A stored session.

    `verified_email`: the address that was verified; None for an unknown visitor. `last_number`: the
    number of the session's latest message. `seen_number`: the number of the latest message that the
    visitor has been shown.
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
    """Return the browser's token, valid for this client only. `is_proved`: as in HeldSession."""
    named = _named(client_id, session_id, is_proved=is_proved)
    return f"{session_id}.{_mark(sealer.digests(named)[0])}"


def held_session(sealer: Sealer, client_id: str, token: str) -> HeldSession | None:
    """Return the session that a token names, or None if we did not sign the token."""
    given, _, mark = token[:MAX_TOKEN].partition(".")
    session_id = parse_ulid(given)
    if session_id is None or session_id != given:
        return None
    # A list, unlike a generator, evaluates every comparison.
    same = [
        (hmac.compare_digest(_mark(digest).encode(), mark.encode()), is_proved)
        for is_proved in (False, True)
        for digest in sealer.digests(_named(client_id, session_id, is_proved=is_proved))
    ]
    found = [is_proved for is_same, is_proved in same if is_same]
    return HeldSession(session_id, found[0]) if found else None


def may_begin(session_id: str, now: datetime) -> bool:
    """Return whether a session without a database row may start: its id is younger than
    SESSION_LASTS."""
    return session_id >= first_ulid(now - SESSION_LASTS)


def _named(client_id: str, session_id: str, *, is_proved: bool) -> str:
    kind = "verified widget session" if is_proved else "widget session"
    return f"{kind}/{client_id}/{session_id}"


def _mark(digest: bytes) -> str:
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")
