"""Detect a message that only ends a conversation and needs no answer: "thanks, all good"."""

from functools import cache
from typing import Final

from domain.agent.intents.meanings import Dictionary
from domain.agent.intents.sentence import read_sentences
from domain.core.lexicon import LexiconFile, lexicon

# A longer message probably contains more than thanks.
LONGEST: Final = 300


class _File(LexiconFile):
    """The word lists for closing messages. A message needs a word from `ends` and may otherwise
    contain only words from `beside`. Words in `not_so` negate `ends`. `marks` are symbols of anger
    or sorrow."""

    ends: str
    beside: str
    not_so: str
    marks: str


def closes(text: str) -> bool:
    """Return True if the text contains only thanks, contentment or a farewell, and no question."""
    if len(text) > LONGEST or has_bad_mark(text):
        return False
    said = read_sentences(text, _dictionary())
    means = frozenset[str]().union(*(sentence.meanings for sentence in said))
    return (
        "ends" in means
        and "not_so" not in means
        and "ask" not in means
        and all(sentence.of(place) for sentence in said for place in range(len(sentence.words)))
    )


def has_bad_mark(text: str) -> bool:
    """Return True if the text contains an emoji or other symbol that expresses anger or sorrow."""
    return any(mark in text for mark in _marks())


@cache
def _file() -> _File:
    return lexicon(__file__, _File)


@cache
def _marks() -> tuple[str, ...]:
    return tuple(_file().marks.split())


@cache
def _dictionary() -> Dictionary:
    file = _file()
    return Dictionary({"ends": file.ends, "beside": file.beside, "not_so": file.not_so})
