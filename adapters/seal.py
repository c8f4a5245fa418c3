"""Sealing: authenticated encryption for the text of dry runs on its way through Temporal."""

import binascii
import zlib
from typing import Final

from cryptography.fernet import Fernet, InvalidToken, MultiFernet

# A text that begins with it is compressed too.
_COMPRESSED: Final = b"\0"
_WORTH_COMPRESSING: Final = 512
# Four times the largest body that the gateway takes.
_MAX_BYTES: Final = 4 * 1024 * 1024


class FernetSealer:
    """Seals with the first key and unseals with any, so that keys can be rotated. What is longer
    than 512 bytes is compressed first."""

    def __init__(self, keys: str) -> None:
        """`keys`: Fernet keys, comma-separated, newest first. Raises ValueError on a bad one."""
        self._fernet = MultiFernet([Fernet(key.strip()) for key in keys.split(",")])

    def seal(self, text: str) -> str:
        return self._fernet.encrypt(_packed(text.encode())).decode()

    def unseal(self, sealed: str) -> str:
        try:
            packed = self._fernet.decrypt(sealed)
        except (InvalidToken, binascii.Error):
            raise ValueError("sealed with another key, or damaged") from None
        return _unpacked(packed).decode()


def _packed(text: bytes) -> bytes:
    if len(text) < _WORTH_COMPRESSING and not text.startswith(_COMPRESSED):
        return text
    # The fastest level: it runs where others are answered.
    return _COMPRESSED + zlib.compress(text, 1)


def _unpacked(packed: bytes) -> bytes:
    """Raises ValueError for what would become larger than anything that we seal."""
    if not packed.startswith(_COMPRESSED):
        return packed
    unpacking = zlib.decompressobj()
    text = unpacking.decompress(packed[1:], _MAX_BYTES)
    if not unpacking.eof:
        raise ValueError("sealed text of more than 4 MiB")
    return text


def new_seal_key() -> str:
    return Fernet.generate_key().decode()
