"""The search in a client's records: the member's search words, and the results."""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from domain.core.text import fold

MAX_WORDS: Final = 5
"""Maximum number of words in a search. Further words are ignored."""

_WORD: Final = re.compile(r"[a-z0-9]+")


@dataclass(frozen=True, slots=True)
class FoundTicket:
    """A conversation that matches a search. `latest` is the beginning of the text of the customer's
    latest message."""

    id: str
    customer_email: str | None
    last_message_at: datetime
    latest: str | None


@dataclass(frozen=True, slots=True)
class FoundArticle:
    id: str
    title: str
    language: str


def searched_words(text: str) -> tuple[str, ...]:
    """Return the words of a search, which are matched as prefixes, in lower case and without
    accents. They contain only ASCII letters and digits."""
    # `fold` expands "œ" and "æ" in lower case only.
    return tuple(dict.fromkeys(_WORD.findall(fold(text.lower()))))[:MAX_WORDS]


def matches(words: tuple[str, ...], text: str) -> bool:
    """Return True if each of the words is a prefix of a word in the text."""
    parts = _WORD.findall(fold(text.lower()))
    return all(any(part.startswith(word) for part in parts) for word in words)
