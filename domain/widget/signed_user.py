"""A signed user: the merchant signs the user's address with the widget's secret.

Source: shared decisions, "Who a visitor is": HMAC-SHA256 of the address, in hexadecimal digits. The
address is signed as the merchant writes it, and in lower case without spaces around it.
"""

import hashlib
import hmac
from collections.abc import Iterable
from typing import Final

SECRET_BYTES: Final = 32
_PREFIX: Final = "wsec_"


def secret_of(random: bytes) -> str:
    """A widget's secret from SECRET_BYTES random bytes."""
    return _PREFIX + random.hex()


def signature_of(secret: str, email: str) -> str:
    """The signature that a merchant's server computes for its user."""
    return hmac.new(secret.encode(), email.encode(), hashlib.sha256).hexdigest()


def is_signed(secrets: Iterable[str], email: str, presented: str) -> bool:
    """Whether one of the widget's secrets signed this address, compared in constant time."""
    given = presented.strip().lower().encode()
    spellings = dict.fromkeys((email, email.strip().lower()))
    same = [
        hmac.compare_digest(signature_of(secret, spelling).encode(), given)
        for secret in secrets
        for spelling in spellings
    ]
    return any(same)
