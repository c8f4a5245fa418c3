"""Decide whether a greeting may use the customer's display name.

Display names are free text. A link, an amount or a sentence in a greeting would look like the
shop's own words. Names such as "Acme Ltd" and "Guest" do not refer to a person. The greeting omits
both.
"""

import re
import unicodedata
from collections.abc import Mapping
from functools import cache
from typing import Final

from domain.core.lexicon import LexiconFile, lexicon
from domain.core.text import fold
from domain.intake.event import UnifiedEvent

_MAX_CHARS: Final = 60
_MAX_WORDS: Final = 6
# A name of more words than this is rejected as a sentence if it contains a lowercase word or a word
# from `in_sentences`.
_FREE_WORDS: Final = 2
_MARKS: Final = frozenset(" '’.-,·")
# A dot between two letters marks a domain name, except in "J.R." and "J.Li". A dot after a word of
# four or more characters ends a sentence. A name with such a dot is not used in a greeting.
_DOT: Final = re.compile(
    r"\.(?=\w)(?!(?<=\b\w\.)(?:[^\W\d_]\b|[^\W\d_a-z][^\W\d_A-Z]))|(?<=\w{4})\."
)
_WORD: Final = re.compile(r"[^\W\d_]+")
_WWW: Final = re.compile(r"\b(?:www|https?)\b", re.IGNORECASE)
_MONEY: Final = re.compile(
    r"\b(?:eur|euros?|usd|dollars?|gbp|pounds?|chf|francs?|bitcoins?|btc)\b", re.IGNORECASE
)
_MIN_LETTERS: Final = 2
_REPEATED: Final = re.compile(r"(\w)\1\1", re.IGNORECASE)
_VOWEL: Final = re.compile(r"[aeiouy]")
_LATIN: Final = re.compile(r"[a-z]+")
# Maximum length of a word without a vowel, such as "Ng" and "Mr". A longer word in Latin letters
# counts as a name only if it contains a vowel.
_FREE_OF_VOWELS: Final = 3
# A capital inside a word is allowed in "McDonald" and "DeVito", but not in "DarkSlayer".
_INNER_CAPITAL: Final = re.compile(
    r"(?<!\bMc)(?<!\bMac)(?<!\b[DL][aeiu])(?<!\bFitz)(?<=[a-z])[A-Z]"
)
_PARTICLES: Final = frozenset(
    {
        *("al", "and", "bin", "da", "das", "de", "del", "della", "den", "der", "des", "di", "do"),
        *("dos", "du", "e", "el", "et", "i", "ibn", "la", "las", "le", "les", "los", "of", "ou"),
        *("van", "vom", "von", "y", "zu"),
    }
)
NAME_FIELDS: Final = frozenset(
    {"customer_name", "name", "first_name", "firstname", "last_name", "lastname", "full_name"}
)
"""Event fields that contain the customer's name."""


class _File(LexiconFile):
    """The words that are not a person's name, each list separated by spaces.

    - `in_sentences`: may also be names, and are rejected only in names of three or more words.
    - `titles`: may precede a name.
    - `company_forms`: matched only in capitals because some are also spelled like names.
    """

    not_names: str
    in_sentences: str
    titles: str
    company_forms: str


def is_greetable(name: str) -> bool:
    """Return True if a display name looks like a person's name and nothing else."""
    return _has_form_of_name(name) and _may_be_person(name)


def _has_form_of_name(name: str) -> bool:
    words = name.split()
    if not 0 < len(name) <= _MAX_CHARS or not 0 < len(words) <= _MAX_WORDS:
        return False
    if not all(mark.isalpha() or _is_accent(mark) or mark in _MARKS for mark in name):
        return False
    if _DOT.search(name) or _WWW.search(name) or _MONEY.search(name):
        return False
    said = [word for word in words if word.lower() not in _PARTICLES]
    return len(said) <= _FREE_WORDS or not any(word.islower() for word in said)


def _may_be_person(name: str) -> bool:
    if sum(mark.isalpha() for mark in name) < _MIN_LETTERS or _REPEATED.search(name):
        return False
    if _INNER_CAPITAL.search(name):
        return False
    folded = _WORD.findall(fold(name))
    known = _words()
    return (
        known["not_names"].isdisjoint(folded)
        and (len(folded) <= _FREE_WORDS or known["in_sentences"].isdisjoint(folded))
        and known["company_forms"].isdisjoint(_WORD.findall(name))
        and not known["titles"].issuperset(folded)
        and not any(_is_typed_blindly(word) for word in folded)
    )


def _is_typed_blindly(word: str) -> bool:
    is_long = len(word) > _FREE_OF_VOWELS
    return is_long and _LATIN.fullmatch(word) is not None and not _VOWEL.search(word)


@cache
def _words() -> Mapping[str, frozenset[str]]:
    file = lexicon(__file__, _File)
    return {field: frozenset(words.split()) for field, words in file}


def greeted_name(event: UnifiedEvent) -> str | None:
    """Return the customer's name if a greeting may use it, else None."""
    name = event.customer_name
    return name if name and event.may_be_named and is_greetable(name) else None


def _is_accent(mark: str) -> bool:
    return unicodedata.category(mark) in ("Mn", "Mc")
