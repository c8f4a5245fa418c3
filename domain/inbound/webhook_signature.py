"""Rules for verifying webhook signatures, shared by several platforms."""

import base64
import hmac
from collections.abc import Sequence
from datetime import datetime, timedelta
from hashlib import sha1, sha256
from typing import Final

from domain.inbound.errors import InboundRefused, RefusalReason
from domain.inbound.inbound_request import InboundRequest

TOLERANCE: Final = timedelta(seconds=300)
"""Default maximum age of a signed timestamp."""
_MAX_HEADER: Final = 4096
_MAX_DIGITS: Final = 12


def signature_header(
    request: InboundRequest,
    name: str,
    missing: RefusalReason = RefusalReason.SIGNATURE_MISSING,
) -> str:
    """Return the value of a required header. `name` is in lower case. Raises InboundRefused with
    the reason `missing`."""
    value = request.headers.get(name, "").strip()
    if not value or len(value) > _MAX_HEADER:
        raise InboundRefused(missing)
    return value


def hmac_sha256_hex(secret: str | bytes, signed: bytes) -> str:
    """Return the HMAC-SHA256 of the signed bytes, in lower-case hexadecimal digits."""
    return hmac.new(_key(secret), signed, sha256).hexdigest()


def hmac_sha256_base64(secret: str | bytes, signed: bytes) -> str:
    """Return the HMAC-SHA256 of the signed bytes, in base64."""
    return base64.b64encode(hmac.new(_key(secret), signed, sha256).digest()).decode()


def hmac_sha1_hex(secret: str | bytes, signed: bytes) -> str:
    """Return the HMAC-SHA1 of the signed bytes, in lower-case hexadecimal digits."""
    return hmac.new(_key(secret), signed, sha1).hexdigest()


def matches(expected: Sequence[str], given: str | Sequence[str]) -> bool:
    """Return True if a given signature equals an expected one, in constant time.

    `expected` has one signature for each valid secret.
    """
    found = False
    for came in (given,) if isinstance(given, str) else given:
        for good in expected:
            found |= hmac.compare_digest(good.encode(), came.encode(errors="replace"))
    return found


def require_match(expected: Sequence[str], given: str | Sequence[str]) -> None:
    """Raise InboundRefused(SIGNATURE_WRONG) unless a received signature equals an expected
    signature."""
    if not matches(expected, given):
        raise InboundRefused(RefusalReason.SIGNATURE_WRONG)


def signed_seconds(text: str) -> int:
    """Return the Unix time in whole seconds from the text in a signature header. Raises
    InboundRefused."""
    if not (text.isascii() and text.isdigit() and len(text) <= _MAX_DIGITS):
        raise InboundRefused(RefusalReason.TIMESTAMP_MISSING)
    return int(text)


def check_age(
    signed_at: float, now: datetime, tolerance: timedelta = TOLERANCE, *, both_ways: bool = False
) -> None:
    """Raise InboundRefused(TIMESTAMP_OLD) unless the signed timestamp is recent.

    `signed_at` is in Unix seconds. If `both_ways` is true, a timestamp far in the future is
    rejected too.
    """
    age = now.timestamp() - signed_at
    if age > tolerance.total_seconds() or (both_ways and -age > tolerance.total_seconds()):
        raise InboundRefused(RefusalReason.TIMESTAMP_OLD)


def _key(secret: str | bytes) -> bytes:
    return secret.encode() if isinstance(secret, str) else secret
