"""Detect a message that only praises and requests nothing: "I love it, you are the best"."""

from functools import cache
from typing import Final

from domain.agent.intents.closing import has_bad_mark
from domain.agent.intents.meanings import NUMBER, READ_CHARACTERS, Dictionary
from domain.agent.intents.sentence import MessageSentence, read_sentences
from domain.core.lexicon import LexiconFile, lexicon

_DENIED: Final = "denied"
_PRAISE: Final = frozenset({"praise", _DENIED})
_COUNTED: Final = _PRAISE | {"thanks"}
_EXCUSED: Final = frozenset({_DENIED, "fine"})
_AS_PRAISE: Final = "perfect"
# The French particle "ne" precedes the negated word.
_BEFORE_DENIAL: Final = "ne"
# The sentiment that a message must exceed, by its number of praise words. A message without praise
# words never counts as praise. A message with three or more always does.
_LEAST_MOOD: Final = (1.0, 0.4, -0.5, -1.1)


class _File(LexiconFile):
    """The word lists. `denied` contains phrases that praise by denying a fault. Words in `against`
    signal a problem, a request or a denial, except in phrases from `fine`. `signs` are symbols of
    joy."""

    praise: str
    denied: str
    thanks: str
    fine: str
    against: str
    signs: str


def only_praises(text: str, mood: float) -> bool:
    """Return True if a message only praises and requests nothing.

    `mood` is the classifier's sentiment, from -1 to 1. A short message needs a higher sentiment
    because "Bravo" alone may be ironic.
    """
    return mood > _LEAST_MOOD[min(praise_in(text), len(_LEAST_MOOD) - 1)]


def praise_in(text: str) -> int:
    """Count the praise words, thanks and symbols of joy in a message.

    Return 0 if the message contains only thanks, or anything else, such as a question or a long
    number.
    """
    if len(text) > READ_CHARACTERS or has_bad_mark(text):
        return 0
    sentences = read_sentences(text, _dictionary())
    if any(_says_more(sentence) for sentence in sentences):
        return 0
    found = {
        _DENIED if _DENIED in sentence.of(place) else word
        for sentence in sentences
        for place, word in enumerate(sentence.words)
        if not sentence.of(place).isdisjoint(_COUNTED)
    }
    said = frozenset[str]().union(*(sentence.meanings for sentence in sentences))
    signs = sum(sign in text for sign in _signs())
    return len(found) + signs if found and (signs or not said.isdisjoint(_PRAISE)) else 0


def with_plain_praise(text: str) -> str:
    """Return the text with each denied fault replaced by praise: "can't complain" becomes
    "perfect".

    A text without denied faults is returned unchanged.
    """
    sentences = read_sentences(text, _dictionary())
    if not any(_DENIED in sentence.meanings for sentence in sentences):
        return text
    return ". ".join(_plain(sentence) for sentence in sentences)


def _plain(sentence: MessageSentence) -> str:
    said: list[str] = []
    for place, word in enumerate(sentence.words):
        if _DENIED not in sentence.of(place):
            said += [word] if word != _BEFORE_DENIAL else []
        elif said[-1:] != [_AS_PRAISE]:
            said.append(_AS_PRAISE)
    return " ".join(said)


def _says_more(sentence: MessageSentence) -> bool:
    return "ask" in sentence.meanings or any(
        NUMBER in means or ("against" in means and not means & _EXCUSED)
        for means in sentence.by_place
    )


@cache
def _file() -> _File:
    return lexicon(__file__, _File)


@cache
def _signs() -> tuple[str, ...]:
    return tuple(_file().signs.split())


@cache
def _dictionary() -> Dictionary:
    file = _file()
    return Dictionary(
        {
            "praise": file.praise,
            "denied": file.denied,
            "thanks": file.thanks,
            "fine": file.fine,
            "against": file.against,
        }
    )
