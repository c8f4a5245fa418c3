"""Concepts: one token for words with the same meaning, in both languages.

With concepts, "fridge" and "canapé" are both a product, and "reimburse" and "remboursez" are the
same request. A training example with one word therefore also teaches its synonyms and translations.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from pydantic import Field

from domain.core.lexicon import LexiconFile, lexicon

# Only so many characters of a word are compared, so that the cache stays small.
_LONGEST_WORD: Final = 60
_REPEATED: Final = re.compile(r"([a-z])\1+")


def _single(word: str) -> str:
    """Return the word with repeated letters reduced to one. Doubled letters are the most common
    misspelling, and are also used for emphasis."""
    return _REPEATED.sub(r"\1", word)


class _File(LexiconFile):
    """The content of the concepts file: each concept with its folded words. "*" matches any ending.
    A word may have several concepts."""

    concepts: dict[str, str] = Field(min_length=1)


@dataclass(frozen=True, slots=True)
class _Lexicon:
    """The concepts of whole words and of prefixes of words."""

    whole: Mapping[str, tuple[str, ...]]
    beginnings: Mapping[str, tuple[str, ...]]
    shortest: int
    longest: int


@cache
def _lexicon() -> _Lexicon:
    whole: dict[str, tuple[str, ...]] = {}
    beginnings: dict[str, tuple[str, ...]] = {}
    for concept, listed in lexicon(__file__, _File).concepts.items():
        for word in dict.fromkeys(listed.split()):
            place = beginnings if word.endswith("*") else whole
            key = _single(word.rstrip("*"))
            place[key] = (*place.get(key, ()), concept)
    lengths = {len(word) for word in beginnings}
    return _Lexicon(whole, beginnings, min(lengths), max(lengths))


def concepts(word: str) -> tuple[str, ...]:
    """Return the concepts of a folded word, without duplicates. Most words have at most one
    concept."""
    return _cached_concepts(word[:_LONGEST_WORD])


@lru_cache(maxsize=20_000)
def _cached_concepts(word: str) -> tuple[str, ...]:
    word, known = _single(word), _lexicon()
    found = list(known.whole.get(word, ()))
    for length in range(known.shortest, min(len(word), known.longest) + 1):
        found += known.beginnings.get(word[:length], ())
    return tuple(dict.fromkeys(found))
