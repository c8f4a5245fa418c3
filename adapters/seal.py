"""Authenticated encryption of secrets at rest and in transit, and keyed digests of text."""

import base64
import binascii
import hashlib
import hmac
import zlib
from typing import Final

from cryptography.fernet import Fernet, InvalidToken, MultiFernet

# The first byte of a plaintext that was compressed before encryption.
_COMPRESSED: Final = b"\0"
_WORTH_COMPRESSING: Final = 512
# Maximum size of a decompressed text: four times the largest body that the gateway accepts.
_MAX_BYTES: Final = 4 * 1024 * 1024
# The digest key is derived using this label, so that it always differs from the encryption key.
_DIGESTS: Final = b"digest of a name"


class FernetSealer:
    """A sealer that encrypts with the first key and decrypts with any of the keys, so that keys can
    be rotated. A text of at least `_WORTH_COMPRESSING` bytes is compressed first."""

    def __init__(self, keys: str) -> None:
        """Load Fernet keys, comma-separated, newest first. Raises ValueError for an invalid key."""
        given = [key.strip() for key in keys.split(",")]
        self._fernet = MultiFernet([Fernet(key) for key in given])
        self._digest_keys = tuple(
            hmac.digest(base64.urlsafe_b64decode(key), _DIGESTS, hashlib.sha256) for key in given
        )

    def seal(self, text: str) -> str:
        return self._fernet.encrypt(_packed(text.encode())).decode()

    def unseal(self, sealed: str) -> str:
        try:
            packed = self._fernet.decrypt(sealed)
        except (InvalidToken, binascii.Error):
            raise ValueError("sealed with another key, or damaged") from None
        return _unpacked(packed).decode()

    def digests(self, text: str) -> tuple[bytes, ...]:
        return tuple(hmac.digest(key, text.encode(), hashlib.sha256) for key in self._digest_keys)


def _packed(text: bytes) -> bytes:
    if len(text) < _WORTH_COMPRESSING and not text.startswith(_COMPRESSED):
        return text
    # The fastest compression level because this code delays other requests.
    return _COMPRESSED + zlib.compress(text, 1)


def _unpacked(packed: bytes) -> bytes:
    """Return the decompressed text. Raises ValueError if it exceeds the maximum size of texts that
    are encrypted."""
    if not packed.startswith(_COMPRESSED):
        return packed
    unpacking = zlib.decompressobj()
    text = unpacking.decompress(packed[1:], _MAX_BYTES)
    if not unpacking.eof:
        raise ValueError("sealed text of more than 4 MiB")
    return text


def new_seal_key() -> str:
    """Return a new random key for the encryption of stored secrets."""
    return Fernet.generate_key().decode()
