"""The API key: its shape, and what of it is stored.

An MCP key, `mcp_` and as many characters, has the same rights.
"""

import hashlib
import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from domain.core.plain_text import without_controls
from domain.tenants.errors import InvalidLabel

_SHAPE: Final = re.compile(r"(ak|mcp)_[0-9a-f]{32}")
PREFIX_LENGTH: Final = 8
KEY_BYTES: Final = 16
MAX_LABEL: Final = 100
MAX_ACTIVE: Final = 100
"""Keys of one client that can be used."""

UNUSED_AFTER: Final = timedelta(days=90)
"""A key that nothing used for so long had better be revoked."""

OWN: Final = "ak_"
"""What a key begins with that a person made."""
MCP: Final = "mcp_"
"""What a key begins with that an OAuth client got."""
KEY_PREFIXES: Final = (OWN, MCP)
"""A bearer token that begins with one is a key or nothing; any other is a session token."""


@dataclass(frozen=True, slots=True)
class KeyMaterial:
    """What is stored of a key: enough to recognise it, too little to use it."""

    digest: bytes
    prefix: str

    @property
    def is_own(self) -> bool:
        """Whether a person made the key for the client's own systems."""
        return self.prefix.startswith(OWN)


def is_unused(created_at: datetime, last_used_at: datetime | None, now: datetime) -> bool:
    """Whether nothing has used a key for UNUSED_AFTER."""
    return now - (last_used_at or created_at) > UNUSED_AFTER


def check_label(text: str) -> str:
    """What a key is for, as one line. Raises InvalidLabel."""
    label = " ".join(without_controls(text).split())
    if not 0 < len(label) <= MAX_LABEL:
        raise InvalidLabel(
            f"a label is needed, of at most {MAX_LABEL} characters",
            f"1 à {MAX_LABEL} caractères visibles attendus",
        )
    return label


def key_value(random_bytes: bytes, kind: str = OWN) -> str:
    """The key's text, from KEY_BYTES random bytes. Shown once, at creation."""
    if len(random_bytes) != KEY_BYTES:
        raise ValueError("an API key is made of 16 random bytes")
    return f"{kind}{random_bytes.hex()}"


def key_material(text: str) -> KeyMaterial | None:
    """What to look a presented key up by; None if it has not the shape of one.

    A plain SHA-256 is enough: the key holds 128 random bits, so there is nothing to guess.
    """
    return None if _SHAPE.fullmatch(text) is None else _material(text)


def new_key(random_bytes: bytes, kind: str = OWN) -> tuple[str, KeyMaterial]:
    """The text of a key from KEY_BYTES random bytes, and what is stored of it."""
    text = key_value(random_bytes, kind)
    return text, _material(text)


def _material(text: str) -> KeyMaterial:
    return KeyMaterial(hashlib.sha256(text.encode()).digest(), text[:PREFIX_LENGTH])
