"""Concepts of customers' words: one token for words with the same meaning, in both languages.

A few thousand examples teach a classifier only a few of the words that customers use. Here "fridge"
and "canapé" are both a product, and "reimburse" and "remboursez" are the same request. An example
with one word therefore also teaches the others, and the other language.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from pydantic import Field

from domain.core.lexicon import LexiconFile, lexicon

_REPEATED: Final = re.compile(r"([a-z])\1+")


def _single(word: str) -> str:
    """Reduce doubled letters to one: the most common misspelling, and a form of emphasis."""
    return _REPEATED.sub(r"\1", word)


class _File(LexiconFile):
    """Each concept with its words, folded; "*" matches any ending. A word may have several
    concepts."""

    concepts: dict[str, str] = Field(min_length=1)


@dataclass(frozen=True, slots=True)
class _Lexicon:
    """Whole words and prefixes of words, each with its concepts."""

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


@lru_cache(maxsize=20_000)
def concepts(word: str) -> tuple[str, ...]:
    """Return the concepts of a folded word, each once; mostly none or one."""
    word, known = _single(word), _lexicon()
    found = list(known.whole.get(word, ()))
    for length in range(known.shortest, min(len(word), known.longest) + 1):
        found += known.beginnings.get(word[:length], ())
    return tuple(dict.fromkeys(found))
