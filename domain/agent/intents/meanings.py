"""The words of a message and what they mean, in French and English alike."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

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
_LONG_NUMBER: Final = 3


class _File(LexiconFile):
    """`harmless` and `goods` are meanings too; `after_article`: before what something is called."""

    harmless: str
    goods: str
    articles: str
    meanings: dict[str, str]


@dataclass(frozen=True, slots=True)
class Hit:
    """The words from `start` up to `end` of a sentence mean `meaning`."""

    start: int
    end: int
    meaning: str


class Dictionary:
    """Words, beginnings of words and phrases, each with its meanings."""

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
        first, *rest = entry.split("_")
        if rest:
            self._phrases[first].append((tuple(rest), meaning))
        elif first.endswith("*"):
            self._beginnings[first[:-1]].append(meaning)
        else:
            self._whole[first].append(meaning)

    def hits(self, said: tuple[str, ...]) -> Iterator[Hit]:
        """What the words of a sentence mean: single words, and the phrases among them."""
        for place, word in enumerate(said):
            for meaning in self._of_word(word):
                yield Hit(place, place + 1, meaning)
            for rest, meaning in self._phrases.get(word, ()):
                if _follows(said, place + 1, rest):
                    yield Hit(place, place + 1 + len(rest), meaning)

    def _meanings_of(self, word: str) -> tuple[str, ...]:
        if word.isdigit():
            return (NUMBER if len(word) >= _LONG_NUMBER else COUNT, *self._whole.get(word, ()))
        found = list(self._whole.get(word, ()))
        for length in range(self._shortest, min(len(word), self._longest) + 1):
            found += self._beginnings.get(word[:length], ())
        return tuple(dict.fromkeys(found))


def _follows(said: tuple[str, ...], place: int, rest: tuple[str, ...]) -> bool:
    return len(said) >= place + len(rest) and all(
        word.startswith(wanted[:-1]) if wanted.endswith("*") else word == wanted
        for word, wanted in zip(said[place : place + len(rest)], rest, strict=True)
    )


@cache
def meanings_file() -> _File:
    """Raises BrokenLexicon."""
    return lexicon(__file__, _File)


def tokens(sentence: str) -> tuple[str, ...]:
    """Its words, folded, contractions spelt out: "don't" is "do not", "l'article" is "article"."""
    folded = fold(sentence.translate(_QUOTES))
    plain = _ELISION.sub("", _ENGLISH_SHORT.sub("", _NOT.sub(" not", folded)))
    return tuple(_TOKEN.findall(plain))
