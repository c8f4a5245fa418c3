"""The link with which a member turns off the email notifications of one client.

Its signed token contains the client and the member. The holder can only turn off these emails. It
does not expire, because old emails must keep working.
"""

import base64
import hmac
from dataclasses import dataclass
from typing import Final

from domain.core.ports import Sealer
from domain.reviews.errors import UnsubscribeLinkUnknown
from domain.tenants.user import MAX_USER_ID

UNSUBSCRIBE_PATH: Final = "/app/unsubscribe"

_MARK_BYTES: Final = 32
_ULID_CHARS: Final = 26
MAX_TOKEN: Final = (_MARK_BYTES + _ULID_CHARS + 4 * MAX_USER_ID) * 4 // 3 + 4
"""Maximum length of a token, in characters."""


@dataclass(frozen=True, slots=True)
class Subscriber:
    client_id: str
    user_id: str


def unsubscribe_link(sealer: Sealer, origin: str, member: Subscriber) -> str:
    """Return the URL of the page that turns off a member's emails. `origin`: this service's public
    origin."""
    return f"{origin}{UNSUBSCRIBE_PATH}/{unsubscribe_token(sealer, member)}"


def unsubscribe_token(sealer: Sealer, member: Subscriber) -> str:
    """Return the token for a member's link."""
    named = f"{member.client_id}{member.user_id}".encode()
    return base64.urlsafe_b64encode(_marks(sealer, named)[0] + named).decode().rstrip("=")


def subscriber_of(sealer: Sealer, token: str) -> Subscriber:
    """Return the member identified by a token. Raises UnsubscribeLinkUnknown for a token that this
    service did not sign."""
    try:
        if len(token) > MAX_TOKEN:
            raise UnsubscribeLinkUnknown
        padded = token.encode("ascii") + b"=" * (-len(token) % 4)
        given = base64.b64decode(padded, b"-_", validate=True)
        mark, named = given[:_MARK_BYTES], given[_MARK_BYTES:]
        same = [hmac.compare_digest(one, mark) for one in _marks(sealer, named)]
        text = named.decode()
    except ValueError:
        raise UnsubscribeLinkUnknown from None
    if not any(same):
        raise UnsubscribeLinkUnknown
    return Subscriber(text[:_ULID_CHARS], text[_ULID_CHARS:])


def _marks(sealer: Sealer, named: bytes) -> tuple[bytes, ...]:
    return sealer.digests(f"unsubscribe link/{named.hex()}")
