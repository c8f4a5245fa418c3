"""API keys and their stored form.

The key of an OAuth client starts with `mcp_`, and has the length and rights of an `ak_` key.
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
"""Maximum number of active keys per client."""

UNUSED_AFTER: Final = timedelta(days=90)
"""Time without use after which a key is considered unused and should be revoked."""

OWN: Final = "ak_"
"""The prefix of a key created by a user."""
MCP: Final = "mcp_"
"""The prefix of a key issued to an OAuth client."""
KEY_PREFIXES: Final = (OWN, MCP)
"""The prefixes of API keys. Any other bearer token is a session token."""


@dataclass(frozen=True, slots=True)
class KeyMaterial:
    """The stored form of an API key. It is sufficient to recognize the key, but not to use it."""

    digest: bytes
    prefix: str

    @property
    def is_own(self) -> bool:
        """Return True if a user created the key for the client's own systems."""
        return self.prefix.startswith(OWN)


def is_unused(created_at: datetime, last_used_at: datetime | None, now: datetime) -> bool:
    """Return True if a key has not been used for UNUSED_AFTER."""
    return now - (last_used_at or created_at) > UNUSED_AFTER


def check_label(text: str) -> str:
    """Return the label of an API key as one line. Raises InvalidLabel."""
    label = " ".join(without_controls(text).split())
    if not 0 < len(label) <= MAX_LABEL:
        raise InvalidLabel(
            f"a label is needed, of at most {MAX_LABEL} characters",
            f"1 à {MAX_LABEL} caractères visibles attendus",
        )
    return label


def key_value(random_bytes: bytes, kind: str = OWN) -> str:
    """Return the text of an API key, generated from KEY_BYTES random bytes. The text is shown to
    the user only once, at creation."""
    if len(random_bytes) != KEY_BYTES:
        raise ValueError("an API key is made of 16 random bytes")
    return f"{kind}{random_bytes.hex()}"


def key_material(text: str) -> KeyMaterial | None:
    """Return the stored form for looking up a presented key, or None if it is malformed.

    A plain SHA-256 is sufficient because 128 random bits cannot be guessed.
    """
    return None if _SHAPE.fullmatch(text) is None else _context(text)


def new_key(random_bytes: bytes, kind: str = OWN) -> tuple[str, KeyMaterial]:
    """Return the text of a new API key and its stored form. The text is generated from KEY_BYTES
    random bytes."""
    text = key_value(random_bytes, kind)
    return text, _context(text)


def _context(text: str) -> KeyMaterial:
    return KeyMaterial(hashlib.sha256(text.encode()).digest(), text[:PREFIX_LENGTH])
