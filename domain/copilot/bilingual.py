"""Translate French product terms into the English words used in the documents."""

from collections.abc import Iterable
from functools import cache

from domain.core.lexicon import LexiconFile, lexicon


class _File(LexiconFile):
    english_of: dict[str, str]


@cache
def _words() -> _File:
    return lexicon(__file__, _File)


def in_english(words: Iterable[str]) -> tuple[str, ...]:
    """Return the English words that the documents use in place of French words. Unknown words are
    omitted."""
    known = _words().english_of
    return tuple(word for one in words for word in known.get(one, "").split())
