"""The meanings of words in messages. French and English words share one set of meanings."""

import re
from collections import defaultdict
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Final

from domain.core.effort import spend
from domain.core.lexicon import LexiconFile, lexicon
from domain.core.text import fold

READ_CHARACTERS: Final = 2_000

HARMLESS: Final = "harmless"
GOODS: Final = "goods"
NUMBER: Final = "number"
COUNT: Final = "count"

_QUOTES: Final = str.maketrans({"’": "'", "ʼ": "'", "`": "'", "´": "'"})
_NOT: Final = re.compile(
    r"(?:n't|(?<=\bdo)nt|(?<=\bca)nt|(?<=\bis)nt|(?<=\bhas)nt|(?<=\bdid)nt|(?<=\bhave)nt"
    r"|(?<=\bdoes)nt)\b"
)
_ENGLISH_SHORT: Final = re.compile(r"'(?:s|re|ve|ll|d|m)\b")
_ELISION: Final = re.compile(r"\b(?:[jlmtscdn]|qu|jusqu|lorsqu|puisqu)'")
_TOKEN: Final = re.compile(r"[^\W_]+")
ELIDED: Final = frozenset("jlmtscdn") | {"qu", "jusqu"}
_MEASURE: Final = re.compile(r"\d{1,3}(?:cms?|kgs?|m\d{0,2}|lbs?|st|nd|rd|th|er?|eme|am|pm|h)")
_LONG_NUMBER: Final = 3


class _File(LexiconFile):
    """The contents of `meanings.yaml`. Words in `harmless` and `goods` have the field's name as
    their meaning. `articles` precede the name of a thing."""

    harmless: str
    goods: str
    articles: str
    meanings: dict[str, str]


class Dictionary:
    """The meanings of words, word prefixes and phrases."""

    def __init__(self, meanings: Mapping[str, str]) -> None:
        self._whole: dict[str, list[str]] = defaultdict(list)
        self._beginnings: dict[str, list[str]] = defaultdict(list)
        self._phrases: dict[str, list[tuple[tuple[str, ...], str]]] = defaultdict(list)
        for meaning, listed in meanings.items():
            for entry in dict.fromkeys(listed.split()):
                self._add(entry, meaning)
        self._shortest = min(map(len, self._beginnings), default=1)
        self._longest = max(map(len, self._beginnings), default=0)
        self._of_word = lru_cache(maxsize=20_000)(self._meanings_of)

    def _add(self, entry: str, meaning: str) -> None:
        parts = entry.split("_")
        # Elided words are removed from texts. Remove them from the entry too, so that "a_l_arrivee"
        # matches "à l'arrivée".
        first, *rest = [part for part in parts[:-1] if part not in ELIDED] + parts[-1:]
        if rest:
            self._phrases[first].append((tuple(rest), meaning))
        elif first.endswith("*"):
            self._beginnings[first[:-1]].append(meaning)
        else:
            self._whole[first].append(meaning)

    def meanings(self, said: tuple[str, ...]) -> list[frozenset[str]]:
        """Return the meanings of each word in a sentence: its own meanings, and those of phrases
        that contain the word."""
        found = [self._of_word(word) for word in said]
        for place, word in enumerate(said):
            for rest, meaning in self._phrases.get(word, ()):
                if _follows(said, place + 1, rest):
                    for within in range(place, place + 1 + len(rest)):
                        found[within] |= {meaning}
        return found

    def _meanings_of(self, word: str) -> frozenset[str]:
        if _MEASURE.fullmatch(word):
            return frozenset({COUNT})
        found = list(self._whole.get(word, ()))
        if word.isdigit():
            return frozenset({NUMBER if len(word) >= _LONG_NUMBER else COUNT, *found})
        for length in range(self._shortest, min(len(word), self._longest) + 1):
            found += self._beginnings.get(word[:length], ())
        return frozenset(found)


def _follows(said: tuple[str, ...], place: int, rest: tuple[str, ...]) -> bool:
    there = said[place : place + len(rest)]
    if not rest[-1].endswith("*"):
        return there == rest
    return (
        len(there) == len(rest) and there[:-1] == rest[:-1] and there[-1].startswith(rest[-1][:-1])
    )


@cache
def meanings_file() -> _File:
    """Return the contents of the YAML file next to this module. Raises BrokenLexicon if the file is
    invalid."""
    return lexicon(__file__, _File)


@cache
def everyday() -> Dictionary:
    """Return the dictionary of meanings that do not depend on the intent."""
    file = meanings_file()
    return Dictionary(
        {HARMLESS: file.harmless, GOODS: file.goods, "article": file.articles, **file.meanings}
    )


def tokens(sentence: str) -> tuple[str, ...]:
    """Return the folded words of a sentence, with contractions expanded: "don't" becomes "do not",
    and "l'article" becomes "article"."""
    spend(len(sentence))
    folded = fold(sentence.translate(_QUOTES))
    plain = _ELISION.sub("", _ENGLISH_SHORT.sub("", _NOT.sub(" not", folded)))
    return tuple(_TOKEN.findall(plain))
