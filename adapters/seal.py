"""Sealing: authenticated encryption for what is kept or sent unread, and digests by its keys."""

import base64
import binascii
import hashlib
import hmac
from typing import Final

from cryptography.fernet import Fernet, InvalidToken, MultiFernet

# The digests' key is never the sealing one itself.
_DIGESTS: Final = b"digest of a name"


class FernetSealer:
    """Seals with the first key and unseals with any, so that keys can be rotated."""

    def __init__(self, keys: str) -> None:
        """`keys`: Fernet keys, comma-separated, newest first. Raises ValueError on a bad one."""
        given = [key.strip() for key in keys.split(",")]
        self._fernet = MultiFernet([Fernet(key) for key in given])
        self._digest_keys = tuple(
            hmac.digest(base64.urlsafe_b64decode(key), _DIGESTS, hashlib.sha256) for key in given
        )

    def seal(self, text: str) -> str:
        return self._fernet.encrypt(text.encode()).decode()

    def unseal(self, sealed: str) -> str:
        try:
            return self._fernet.decrypt(sealed).decode()
        except (InvalidToken, binascii.Error):
            raise ValueError("sealed with another key, or damaged") from None

    def digests(self, text: str) -> tuple[bytes, ...]:
        return tuple(hmac.digest(key, text.encode(), hashlib.sha256) for key in self._digest_keys)


def new_seal_key() -> str:
    return Fernet.generate_key().decode()
