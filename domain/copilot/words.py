"""The words of a question to the copilot, in French or English. Words are normalized for
comparison."""

import re
from typing import Final, Literal

from domain.core.text import fold

Tongue = Literal["fr", "en"]

READ_CHARS: Final = 1_000
"""Number of characters at the start of a text in which words are searched for. The rest of a longer
text is assumed to be a quotation."""

_WORD: Final = re.compile(r"[a-z0-9]+")
_APOSTROPHE: Final = re.compile(r"['\u2019]")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_FRENCH: Final = _words(
    "le la les un une des du de et est ce cette ces que qui quoi quel quelle quels quelles quand "
    "comment pourquoi combien ou avec sans pour par dans sur nous vous je tu il elle on ils elles "
    "mon ma mes notre nos votre vos son sa ses leur leurs a au aux en ne pas plus y se si mais "
    "qu d l j c s n m t peut peux pouvez ont sont etait faire fait moi dernier derniere mois "
    "semaine avons repondu client clients commande demande montre donne aujourd hui hier"
)
_ENGLISH: Final = _words(
    "the a an of and is are was were this that these those what which who whom when how why where "
    "many much with without for by in on at to from we you i he she it they my our your their its "
    "do does did can could will would should has have had not no be been me us about last month "
    "week show give tell there any customer customers order today yesterday"
)
_BOTH: Final = _FRENCH & _ENGLISH
_MEANT: Final = _words(
    "mois semaine month week client clients customer customers commande order demande"
)
STOP_WORDS: Final = (_FRENCH | _ENGLISH) - _MEANT


def plain_words(text: str) -> tuple[str, ...]:
    """Return the words of a text in order, in lower case without accents. `l'agent` yields two
    words."""
    return tuple(_WORD.findall(_APOSTROPHE.sub(" ", fold(text[:READ_CHARS]))))


def stem(word: str) -> str:
    """Return a word without its most common endings, so that `secrets` and `secret` are treated as
    equal."""
    for ending in ("ations", "ation", "ings", "ing", "ies", "es", "ed", "er", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word.removesuffix(ending)
    return word


def content_words(text: str) -> tuple[str, ...]:
    """Return the words of a text without function words and duplicates."""
    return tuple(dict.fromkeys(word for word in plain_words(text) if word not in STOP_WORDS))


def tongue_of(text: str, otherwise: Tongue = "fr") -> Tongue:
    """Return the language of a text, French or English, based on its function words. If they are
    inconclusive, return `otherwise`."""
    words = plain_words(text)
    french = sum(word in _FRENCH and word not in _BOTH for word in words)
    english = sum(word in _ENGLISH and word not in _BOTH for word in words)
    if english == french:
        return otherwise
    return "en" if english > french else "fr"
