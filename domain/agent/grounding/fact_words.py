"""The French, English, German and Spanish words that express facts, with their meanings.

All words are in lower case without accents.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, TypeVar

from pydantic import Field

from domain.core.lexicon import BrokenLexicon, LexiconFile, lexicon

Meaning = TypeVar("Meaning")
_Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FactWords:
    """The words that express facts, each with its meaning: a unit, a currency, a month number, a
    day or a number."""

    units: Mapping[str, str]
    currencies: Mapping[str, str]
    months: Mapping[str, int]
    days: Mapping[str, str]
    numbers: Mapping[str, int]


class _File(LexiconFile):
    units: dict[str, _Words]
    currencies: dict[str, _Words]
    months: Annotated[tuple[_Words, ...], Field(min_length=12, max_length=12)]
    days: dict[str, _Words]
    numbers: dict[int, _Words]


@cache
def fact_words() -> FactWords:
    """Return the words of `fact_words.yaml`. Raises BrokenLexicon if the file is invalid."""
    file = lexicon(__file__, _File)
    return FactWords(
        units=_by_word(file.units.items()),
        currencies=_by_word(file.currencies.items()),
        months=_by_word(enumerate(file.months, 1)),
        days=_by_word(file.days.items()),
        numbers=_by_word(file.numbers.items()),
    )


def either(words: Iterable[str]) -> str:
    """Return a regular expression that matches any of these words, preferring the longest match."""
    return "|".join(
        word.replace(".", r"\.").replace("$", r"\$")
        for word in sorted(words, key=len, reverse=True)
    )


def _by_word(listed: Iterable[tuple[Meaning, _Words]]) -> dict[str, Meaning]:
    found: dict[str, Meaning] = {}
    for meaning, words in listed:
        for word in words:
            if word in found:
                raise BrokenLexicon(f"{word!r} means both {found[word]} and {meaning}")
            found[word] = meaning
    return found
