"""The initials and the colour that stand for a person in lists."""

import re
from hashlib import sha256
from typing import Final

HUES: Final = 8
"""The number of colours, which the style sheet names hue-0 to hue-7."""

_PARTS: Final = re.compile(r"[^\W\d_]+")


def initials(email: str) -> str:
    """Return one or two capital letters for an address: “LM” for lea.martin@example.com. Return "?"
    if the address has no letters."""
    words = _PARTS.findall(email.partition("@")[0])
    return "".join(word[0] for word in words[:2]).upper() or "?"


def hue(email: str) -> int:
    """Return the number of the address's colour, from 0 to HUES - 1. It is always the same one."""
    return sha256(email.lower().encode()).digest()[0] % HUES
