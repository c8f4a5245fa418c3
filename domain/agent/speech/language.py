"""Detect whether a text is in a language that the grammar can parse."""

import re
from collections.abc import Sequence
from functools import cache
from typing import Final

from domain.agent.brain import Language
from domain.agent.size_limits import READ_CHARS
from domain.agent.speech.vocabulary import vocabulary
from domain.core.effort import spend
from domain.core.lexicon import LexiconFile, lexicon
from domain.core.text import fold

_WORD: Final = re.compile(r"[^\W\d_]+")
_SMALLEST_SHARE: Final = 0.35
_FEWEST_WORDS: Final = 4
_PLAIN_LEAD: Final = 3


class _File(LexiconFile):
    """The word lists. `own` adds French and English words to the grammar's vocabulary. `others` are
    frequent words of other languages that are neither French nor English."""

    own: dict[str, tuple[str, ...]]
    others: dict[str, tuple[str, ...]]


def has_grammar(text: str) -> bool:
    """Return True if enough words of the text are French or English for the grammar to parse it.

    A text without words counts as parsable, because nothing in it can be misread.
    """
    words = _read(text)
    if not words:
        return True
    file = _words()
    known = [sum(word in own for word in words) for own in file[0]]
    foreign = max(sum(word in other for word in words) for other in file[1])
    return max(known) >= _SMALLEST_SHARE * len(words) and foreign <= max(known) / 2


def spoken_language(text: str) -> Language:
    """Return French or English, whichever has more words in the text. If both have equally many,
    return French."""
    words = _read(text)
    french, english = (sum(word in own for word in words) for own in _words()[0])
    return "fr" if french >= english else "en"


def plain_language(text: str) -> Language | None:
    """Return French or English if the words of the text leave no doubt about its language.

    Return None for a short or mixed text, and for any other language.
    """
    words = _read(text)
    french, english = _only(words)
    foreign = max(sum(word in other for word in words) for other in _words()[1])
    most = max(french, english)
    if most < _FEWEST_WORDS or most < _PLAIN_LEAD * (min(french, english) + foreign):
        return None
    return "fr" if french > english else "en"


def likely_language(text: str) -> Language | None:
    """Return French or English, whichever has more words in the text that are not in the other
    language. Return None if both have equally many, for example in a text without words."""
    french, english = _only(_read(text))
    if french == english:
        return None
    return "fr" if french > english else "en"


def _only(words: Sequence[str]) -> tuple[int, int]:
    """Return the number of words that are only French, and of words that are only English."""
    french, english = _words()[0]
    return (
        sum(word in french and word not in english for word in words),
        sum(word in english and word not in french for word in words),
    )


def _read(text: str) -> list[str]:
    read = text[:READ_CHARS]
    spend(len(read))
    return _WORD.findall(fold(read))


@cache
def _words() -> tuple[tuple[frozenset[str], ...], tuple[frozenset[str], ...]]:
    file = lexicon(__file__, _File)
    own = (
        vocabulary("fr").words | frozenset(file.own["french"]) | frozenset("jlmntscdqu"),
        vocabulary("en").words | frozenset(file.own["english"]),
    )
    others = tuple(frozenset(words) - own[0] - own[1] for words in file.others.values())
    return own, others
