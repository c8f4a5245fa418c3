"""Users' names in lists, and the initials and colors of their avatars."""

import re
from hashlib import sha256
from typing import Final

HUES: Final = 8
"""The number of avatar colors. The style sheet names them hue-0 to hue-7."""

_PARTS: Final = re.compile(r"[^\W\d_]+")


def display_name(email: str) -> str:
    """Return the name in an email address: “Lea Martin” for lea.martin@example.com. Return the
    part before the “@” if it has no letters, and other text, such as “a colleague”, unchanged."""
    local, at, _ = email.partition("@")
    if not at:
        return email
    return " ".join(word.capitalize() for word in _PARTS.findall(local)) or local


def initials(email: str) -> str:
    """Return one or two capital letters for an email address: “LM” for lea.martin@example.com.
    Return "?" if the address has no letters."""
    words = _PARTS.findall(email.partition("@")[0])
    return "".join(word[0] for word in words[:2]).upper() or "?"


def hue(email: str) -> int:
    """Return the index of an email address's color, from 0 to HUES - 1. The same address always has
    the same color."""
    return sha256(email.lower().encode()).digest()[0] % HUES
