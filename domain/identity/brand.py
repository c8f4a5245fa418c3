"""The brand name of a shop at sign-up."""

from typing import Final

from domain.core.plain_text import clean_line
from domain.identity.errors import InvalidBrandName

MAX_BRAND: Final = 100


def brand_name(text: str) -> str:
    """Return the name in its stored form: one line of 1 to MAX_BRAND characters, without control
    and text-direction characters. Raises InvalidBrandName."""
    name = clean_line(text, MAX_BRAND + 1)
    if not 0 < len(name) <= MAX_BRAND:
        raise InvalidBrandName
    return name
