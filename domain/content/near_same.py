"""Recognize articles with nearly the same text, by their sequences of words."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from domain.core.effort import spend
from domain.core.text import fold

NEARLY_SAME: Final = 0.8
"""Minimum share of common word sequences at which two texts are nearly the same."""

_SEQUENCE: Final = 4
"""Number of words per sequence."""

_WORD: Final = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Known:
    """An article or a pending suggestion with which a page is compared."""

    id: str
    title: str
    body: str


def same_as(title: str, body: str, known: Iterable[Known]) -> Known | None:
    """Return the first known text with the same title or with nearly the same body, or None."""
    name, mine = fold(title).strip(), _sequences(body)
    for one in known:
        if fold(one.title).strip() == name or _overlap(mine, _sequences(one.body)) >= NEARLY_SAME:
            return one
    return None


def _sequences(text: str) -> frozenset[tuple[str, ...]]:
    spend(len(text))
    words = _WORD.findall(fold(text))
    count = max(1, len(words) - _SEQUENCE + 1)
    return frozenset(tuple(words[place : place + _SEQUENCE]) for place in range(count))


def _overlap(one: frozenset[tuple[str, ...]], other: frozenset[tuple[str, ...]]) -> float:
    return len(one & other) / (len(one | other) or 1)
