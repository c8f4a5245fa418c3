"""Compare a sentence with its quote, in code: denials, limits, the state of an order, and words.

The comparison finds sentences that may state something else than their quote. It is used without a
judge. It does not understand the texts: a paraphrase may be rejected, and an error in other words
may pass.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from domain.agent.guard_finding import FindingReason
from domain.core.effort import spend
from domain.core.lexicon import LexiconFile, lexicon
from domain.core.text import fold
from domain.integrations.order import Order, OrderState

_WORD: Final = re.compile(r"[a-z0-9]+")
_BAR: Final = re.compile(r"\s*\|\s*")
# Words with fewer letters are mostly function words.
_CONTENT_CHARS: Final = 4
# Words with the same first letters count as forms of one word.
_STEM_CHARS: Final = 5
# Minimum fraction of a sentence's content words that its sources contain, in the same language.
_SHARED_WORDS: Final = 0.34
_REFUNDED: Final = "refunded"


class _File(LexiconFile):
    denials: str
    opposites: tuple[tuple[str, str], ...]
    states: dict[str, str]


@dataclass(frozen=True, slots=True)
class _Words:
    denials: re.Pattern[str]
    opposites: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]
    states: dict[str, re.Pattern[str]]


@cache
def _words() -> _Words:
    file = lexicon(__file__, _File)
    return _Words(
        _whole(file.denials),
        tuple((_whole(one), _whole(other)) for one, other in file.opposites),
        {name: _whole(words) for name, words in file.states.items()},
    )


def _whole(words: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{_BAR.sub('|', words.strip())})\b")


def difference(
    sentence: str, quotes: Sequence[str], known: Sequence[str], *, same_language: bool
) -> FindingReason | None:
    """Return the reason why a sentence may state something else than its quotes, or None.

    `known` are further texts whose words the sentence may use, such as the source's title and the
    customer's message. If `same_language` is false, the words are not compared.
    """
    said, quoted = _plain(sentence), _plain("\n".join(quotes))
    words = _words()
    if bool(words.denials.search(said)) != bool(words.denials.search(quoted)):
        return FindingReason.CONTRADICTED
    for one, other in words.opposites:
        for mine, theirs in ((one, other), (other, one)):
            if mine.search(said) and theirs.search(quoted) and not mine.search(quoted):
                return FindingReason.CONTRADICTED
    if same_language and not _shares_words(said, quoted, known):
        return FindingReason.NOT_SUPPORTED
    return None


def misstates(sentence: str, order: Order) -> bool:
    """Return True if a sentence about an order states another progress than the shop reports."""
    said = _plain(sentence)
    stated = {name for name, pattern in _words().states.items() if pattern.search(said)}
    if _REFUNDED in stated:
        stated.remove(_REFUNDED)
        if order.refunded is None or order.refunded.minor == 0:
            return True
    if not stated or order.state is OrderState.UNKNOWN:
        return bool(stated)
    # A delivered order has also been shipped.
    is_delivered = order.state is OrderState.DELIVERED
    true = {order.state.value, *((OrderState.SHIPPED.value,) if is_delivered else ())}
    return stated.isdisjoint(true)


def _shares_words(said: str, quoted: str, known: Sequence[str]) -> bool:
    stems = _stems(said)
    if not stems:
        return True
    found = stems & (_stems(quoted) | _stems(_plain("\n".join(known))))
    return len(found) >= _SHARED_WORDS * len(stems)


def _stems(plain: str) -> set[str]:
    return {word[:_STEM_CHARS] for word in plain.split() if len(word) >= _CONTENT_CHARS}


def _plain(text: str) -> str:
    spend(len(text))
    return " ".join(_WORD.findall(fold(text)))
