"""The brand name that a shop enters when it signs up."""

from typing import Final

from domain.core.plain_text import clean_line
from domain.identity.errors import InvalidBrandName

MAX_BRAND: Final = 100


def brand_name(text: str) -> str:
    """Return the brand name as one line of 1 to MAX_BRAND characters. Raises InvalidBrandName for
    control or text-direction characters."""
    name = clean_line(text, MAX_BRAND + 1)
    if not 0 < len(name) <= MAX_BRAND:
        raise InvalidBrandName
    return name
