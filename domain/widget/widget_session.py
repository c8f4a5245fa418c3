"""A widget session: the conversation with one visitor in one browser.

The browser stores a token of the session's id and a keyed digest, so guessing an id gives no
access. Once a code or signature verifies the session, earlier tokens are invalid, because another
user of the browser may have read or planted them.

A verified visitor's token also contains a digest of the address. If another visitor verifies the
session after an erasure, the erased visitor's token is therefore invalid.
"""

import base64
import hashlib
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
"""Maximum length of a session token that is accepted, in characters. All valid tokens are shorter.
"""


class VerifiedBy(StrEnum):
    """The method by which a visitor's address was verified: the merchant's signature, or an emailed
    code."""

    SIGNATURE = "signature"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class HeldSession:
    """The session identified by a browser's token. `visitor` is the digest of the visitor's
    verified address at the time when the token was issued, or None for an unverified visitor."""

    id: str
    visitor: str | None = None

    def opens(self, verified_email: str | None) -> bool:
        """Return True if the token gives access to the session in its current state.
        `verified_email` is the session's verified address, or None."""
        return verified_email is None or self.visitor == visitor_digest(self.id, verified_email)


class WidgetSession(BaseModel):
    """A stored widget session. `verified_email` is None for an unverified visitor. `last_number`
    and `seen_number` are the numbers of the latest message and the latest one shown."""

    model_config = ConfigDict(frozen=True)

    id: str
    verified_email: str | None = None
    verified_by: VerifiedBy | None = None
    language: str
    last_number: int = 0
    seen_number: int = 0
    used_at: datetime


def session_token(
    sealer: Sealer, client_id: str, session_id: str, verified_email: str | None = None
) -> str:
    """Return the session token for the browser, valid only for this client, and only while the
    session is unverified or verified for `verified_email`."""
    visitor = None if verified_email is None else visitor_digest(session_id, verified_email)
    mark = _mark(sealer.digests(_named(client_id, session_id, visitor))[0])
    return ".".join([session_id, *([] if visitor is None else [visitor]), mark])


def held_session(sealer: Sealer, client_id: str, token: str) -> HeldSession | None:
    """Return the session identified by a token, or None if this service did not sign the token."""
    given, _, rest = token[:MAX_TOKEN].partition(".")
    visitor, dot, mark = rest.rpartition(".")
    session_id = parse_ulid(given)
    if session_id is None or session_id != given:
        return None
    held = HeldSession(session_id, visitor if dot else None)
    # The list is evaluated in full, so the run time does not show whether a digest matches. A
    # generator would stop at the first match.
    same = [
        hmac.compare_digest(_mark(digest).encode(), mark.encode())
        for digest in sealer.digests(_named(client_id, session_id, held.visitor))
    ]
    return held if any(same) else None


def visitor_digest(session_id: str, verified_email: str) -> str:
    """Return the digest of a verified address, as contained in the session's tokens. The same
    address has a different digest in each session."""
    return _mark(hashlib.sha256(f"{session_id}/{verified_email}".encode()).digest())


def may_begin(session_id: str, now: datetime) -> bool:
    """Return True if a session that has no database row may start. Its id must be younger than
    SESSION_LASTS."""
    return session_id >= first_ulid(now - SESSION_LASTS)


def _named(client_id: str, session_id: str, visitor: str | None) -> str:
    if visitor is None:
        return f"widget session/{client_id}/{session_id}"
    return f"widget session of a visitor/{client_id}/{session_id}/{visitor}"


def _mark(digest: bytes) -> str:
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")
