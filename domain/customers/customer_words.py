"""The words in a customer's name and address that a search can match."""

import re
from typing import Final

from domain.core.text import fold
from domain.intake.customer_email import customer_key

MAX_WORDS: Final = 16
"""Maximum number of words stored for a customer."""

MAX_WORD_CHARS: Final = 100

MAX_SEARCHED: Final = 5
"""Maximum number of words in a search. Further words are ignored."""

_WORD: Final = re.compile(r"[^\W_]+")


def customer_words(name: str | None, key: str) -> tuple[str, ...]:
    """Return the search words for a customer, including the whole address. `key` is the result of
    `customer_key`."""
    return _some([key, *_words(name or ""), *_words(key)], MAX_WORDS)


def searched_words(text: str) -> tuple[str, ...]:
    """Return the words to search for in a member's input. A part with an "@" is an address prefix,
    and stays one word."""
    found: list[str] = []
    for part in text.split():
        key = customer_key(part) if "@" in part else None
        found += _words(part) if key is None else [key]
    return _some(found, MAX_SEARCHED)


def _words(text: str) -> list[str]:
    """Return the words in a text, in lower case and without accents. "œ" becomes "oe"."""
    return _WORD.findall(fold(text.casefold()))


def _some(words: list[str], limit: int) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word[:MAX_WORD_CHARS] for word in words))[:limit]
