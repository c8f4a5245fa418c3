"""The name that a shop gives itself when it signs up."""

from typing import Final

from domain.core.plain_text import clean_line
from domain.identity.errors import InvalidBrandName

MAX_BRAND: Final = 100


def brand_name(text: str) -> str:
    """The name as it is kept: one line of 1 to 100 characters, without control characters and
    without those that turn a line around. Raises InvalidBrandName."""
    name = clean_line(text, MAX_BRAND + 1)
    if not 0 < len(name) <= MAX_BRAND:
        raise InvalidBrandName
    return name
