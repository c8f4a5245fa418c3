"""Signatures of webhooks: what the platforms' rules have in common."""

import base64
import hmac
from collections.abc import Sequence
from datetime import datetime, timedelta
from hashlib import sha1, sha256
from typing import Final

from domain.inbound.errors import InboundRefused, RefusalReason
from domain.inbound.inbound_request import InboundRequest

TOLERANCE: Final = timedelta(seconds=300)
"""How old a signed time may be."""
_MAX_HEADER: Final = 4096
_MAX_DIGITS: Final = 12


def signature_header(
    request: InboundRequest,
    name: str,
    missing: RefusalReason = RefusalReason.SIGNATURE_MISSING,
) -> str:
    """A header that must have come. `name`: in lower case. Raises InboundRefused."""
    value = request.headers.get(name, "").strip()
    if not value or len(value) > _MAX_HEADER:
        raise InboundRefused(missing)
    return value


def hmac_sha256_hex(secret: str | bytes, signed: bytes) -> str:
    return hmac.new(_key(secret), signed, sha256).hexdigest()


def hmac_sha256_base64(secret: str | bytes, signed: bytes) -> str:
    return base64.b64encode(hmac.new(_key(secret), signed, sha256).digest()).decode()


def hmac_sha1_hex(secret: str | bytes, signed: bytes) -> str:
    return hmac.new(_key(secret), signed, sha1).hexdigest()


def matches(expected: Sequence[str], given: str | Sequence[str]) -> bool:
    """Whether one of the given is one of the expected. Every pair is compared, in constant time.

    `expected`: one for each secret that is good now. `given`: what came, one or several.
    """
    found = False
    for came in (given,) if isinstance(given, str) else given:
        for good in expected:
            found |= hmac.compare_digest(good.encode(), came.encode(errors="replace"))
    return found


def require_match(expected: Sequence[str], given: str | Sequence[str]) -> None:
    """Raises InboundRefused(SIGNATURE_WRONG) where `matches` says no."""
    if not matches(expected, given):
        raise InboundRefused(RefusalReason.SIGNATURE_WRONG)


def signed_seconds(text: str) -> int:
    """A Unix time in whole seconds, as a signature's header has it. Raises InboundRefused."""
    if not (text.isascii() and text.isdigit() and len(text) <= _MAX_DIGITS):
        raise InboundRefused(RefusalReason.TIMESTAMP_MISSING)
    return int(text)


def check_age(
    signed_at: float, now: datetime, tolerance: timedelta = TOLERANCE, *, both_ways: bool = False
) -> None:
    """That it was signed lately. `signed_at`: Unix time in seconds. `both_ways`: neither may it be
    further in the future than `tolerance`. Raises InboundRefused(TIMESTAMP_OLD)."""
    age = now.timestamp() - signed_at
    if age > tolerance.total_seconds() or (both_ways and -age > tolerance.total_seconds()):
        raise InboundRefused(RefusalReason.TIMESTAMP_OLD)


def _key(secret: str | bytes) -> bytes:
    return secret.encode() if isinstance(secret, str) else secret
