"""The link with which a customer rates an emailed answer.

Its signed token contains the client, the run and the expiry time, and nothing about the customer.
The holder can rate the answer, but sees no data.
"""

import base64
import hmac
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from domain.core.ports import Sealer
from domain.ratings.errors import RatingLinkExpired, RatingLinkUnknown

LINK_LASTS: Final = timedelta(days=60)
RATING_PATH: Final = "/app/rate"

_LETTERS: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_ULID_BYTES: Final = 16
_TIME_BYTES: Final = 5
_NAMED_BYTES: Final = 2 * _ULID_BYTES + _TIME_BYTES
_MARK_BYTES: Final = 32
# Length of the token in base64, which needs no padding: 69 bytes are 92 characters.
TOKEN_CHARS: Final = (_NAMED_BYTES + _MARK_BYTES) * 4 // 3


@dataclass(frozen=True, slots=True)
class RatedRun:
    client_id: str
    run_id: str


def rating_link(sealer: Sealer, origin: str, run: RatedRun, now: datetime) -> str:
    """Return the URL of the rating page for a run, valid for LINK_LASTS. `origin` is this service's
    public origin."""
    return f"{origin}{RATING_PATH}/{rating_token(sealer, run, now + LINK_LASTS)}"


def rating_token(sealer: Sealer, run: RatedRun, expires_at: datetime) -> str:
    """Return the rating token for a run. `expires_at` is truncated to whole seconds."""
    named = (
        _ulid_bytes(run.client_id)
        + _ulid_bytes(run.run_id)
        + int(expires_at.timestamp()).to_bytes(_TIME_BYTES, "big")
    )
    return base64.urlsafe_b64encode(named + _marks(sealer, named)[0]).decode()


def rated_run(sealer: Sealer, token: str, now: datetime) -> RatedRun:
    """Return the run identified by a rating token.

    Raises RatingLinkUnknown for a token that this service did not sign, and RatingLinkExpired for
    an expired token.
    """
    try:
        given = base64.b64decode(token.encode("ascii"), b"-_", validate=True)
    except ValueError:
        raise RatingLinkUnknown from None
    # The decoder also takes "+" for "-" and "/" for "_", so that one link would have several forms.
    if len(token) != TOKEN_CHARS or base64.urlsafe_b64encode(given).decode() != token:
        raise RatingLinkUnknown
    named, mark = given[:_NAMED_BYTES], given[_NAMED_BYTES:]
    same = [hmac.compare_digest(one, mark) for one in _marks(sealer, named)]
    if not any(same):
        raise RatingLinkUnknown
    expires_at = datetime.fromtimestamp(int.from_bytes(named[-_TIME_BYTES:], "big"), UTC)
    if now >= expires_at:
        raise RatingLinkExpired
    return RatedRun(
        client_id=_ulid(named[:_ULID_BYTES]), run_id=_ulid(named[_ULID_BYTES : 2 * _ULID_BYTES])
    )


def _marks(sealer: Sealer, named: bytes) -> tuple[bytes, ...]:
    return sealer.digests(f"rating link/{named.hex()}")


def _ulid_bytes(ulid: str) -> bytes:
    number = 0
    for letter in ulid:
        number = number << 5 | _LETTERS.index(letter)
    return number.to_bytes(_ULID_BYTES, "big")


def _ulid(given: bytes) -> str:
    number = int.from_bytes(given, "big")
    return "".join(_LETTERS[number >> place & 31] for place in range(125, -1, -5))
