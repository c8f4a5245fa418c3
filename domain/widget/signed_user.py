"""A signed user: the merchant signs the user's address with the widget's secret.

Source: shared decisions, "Who a visitor is": HMAC-SHA256 of the address, in hexadecimal digits. Two
spellings of the address are accepted: as the merchant writes it, and in lower case without
surrounding spaces.
"""

import hashlib
import hmac
from collections.abc import Iterable
from typing import Final

import idna

SECRET_BYTES: Final = 32
_PREFIX: Final = "wsec_"


def secret_of(random: bytes) -> str:
    """Return a widget's secret from SECRET_BYTES random bytes."""
    return _PREFIX + random.hex()


def signature_of(secret: str, email: str) -> str:
    """Return the signature that a merchant's server computes for its user."""
    return hmac.new(secret.encode(), email.encode(), hashlib.sha256).hexdigest()


def is_itself(email: str) -> bool:
    """Return whether normalization leaves the address unchanged, except for ASCII case and outer
    spaces.

    A full-width letter or a soft hyphen in a domain is normalized to plain text. A shop that
    compares the original texts sees two different users: the signature of one must not reveal the
    other's orders.
    """
    domain = email.strip(" ").rpartition("@")[2]
    if domain.isascii():
        return True
    try:
        # Strict mode refuses a domain that normalization would change.
        return bool(idna.encode(domain, strict=True))
    except (idna.IDNAError, UnicodeError):
        return False


def is_signed(secrets: Iterable[str], email: str, presented: str) -> bool:
    """Return whether one of the widget's secrets signed this address, compared in constant time."""
    given = presented.strip().lower().encode()
    spellings = dict.fromkeys((email, email.strip().lower()))
    same = [
        hmac.compare_digest(signature_of(secret, spelling).encode(), given)
        for secret in secrets
        for spelling in spellings
    ]
    return any(same)
