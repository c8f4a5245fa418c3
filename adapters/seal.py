"""Sealing: authenticated encryption for the text of dry runs on its way through Temporal."""

import binascii

from cryptography.fernet import Fernet, InvalidToken, MultiFernet


class FernetSealer:
    """Seals with the first key and unseals with any, so that keys can be rotated."""

    def __init__(self, keys: str) -> None:
        """`keys`: Fernet keys, comma-separated, newest first. Raises ValueError on a bad one."""
        self._fernet = MultiFernet([Fernet(key.strip()) for key in keys.split(",")])

    def seal(self, text: str) -> str:
        return self._fernet.encrypt(text.encode()).decode()

    def unseal(self, sealed: str) -> str:
        try:
            return self._fernet.decrypt(sealed).decode()
        except (InvalidToken, binascii.Error):
            raise ValueError("sealed with another key, or damaged") from None


def new_seal_key() -> str:
    return Fernet.generate_key().decode()
