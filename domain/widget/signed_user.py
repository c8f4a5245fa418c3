"""A signed user: the merchant's server signs the user's address with the widget's secret.

The signature is the hexadecimal HMAC-SHA256 of the address, either as written or in lower case and
trimmed. Source: shared decisions, "Who a visitor is".
"""

import hashlib
import hmac
from collections.abc import Iterable
from typing import Final

import idna

SECRET_BYTES: Final = 32
_PREFIX: Final = "wsec_"


def secret_of(random: bytes) -> str:
    """Return a widget secret generated from SECRET_BYTES random bytes."""
    return _PREFIX + random.hex()


def signature_of(secret: str, email: str) -> str:
    """Return the signature that a merchant's server computes for one of its users."""
    return hmac.new(secret.encode(), email.encode(), hashlib.sha256).hexdigest()


def is_itself(email: str) -> bool:
    """Return True if normalization changes only ASCII case and surrounding whitespace of the
    address.

    Normalization also replaces full-width letters and removes soft hyphens. A shop that compares
    texts treats both forms as two users, and a signature for one must not reveal the other's
    orders.
    """
    domain = email.strip(" ").rpartition("@")[2]
    if domain.isascii():
        return True
    try:
        # In strict mode, idna rejects a domain that normalization would change.
        return bool(idna.encode(domain, strict=True))
    except (idna.IDNAError, UnicodeError):
        return False


def is_signed(secrets: Iterable[str], email: str, presented: str) -> bool:
    """Return True if one of the widget's secrets signed this address. The comparison takes constant
    time."""
    given = presented.strip().lower().encode()
    spellings = dict.fromkeys((email, email.strip().lower()))
    same = [
        hmac.compare_digest(signature_of(secret, spelling).encode(), given)
        for secret in secrets
        for spelling in spellings
    ]
    return any(same)
