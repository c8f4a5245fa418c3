"""Detect names that imitate a carrier, a bank or the service.

Names are compared by skeleton: look-alike letters are merged, and case, accents, blanks and
punctuation are ignored. The YAML file next to this module lists the protected names.
"""

import re
import unicodedata
from collections.abc import Set
from functools import cache, lru_cache
from itertools import accumulate
from typing import Final

from domain.core.lexicon import LexiconFile, lexicon
from domain.core.service_name import ServiceName
from domain.core.text import UnicodeForm, normalized

# A shorter protected name occurs in many unrelated words ("pushups"), so it is matched only as a
# whole word.
_LONG: Final = 5
_CHARS: Final = 120
# Maximum length, in letters, of consecutive words that are joined for comparison. It is enough for
# a short name with two or three companion words.
_RUN: Final = 30
_MAY_MIX: Final = frozenset({"LATIN", "CJK", "HIRAGANA", "KATAKANA", "HANGUL"})
_CAMEL: Final = re.compile(r"(?<=[^\W\d_a-z])(?=[^\W\d_a-z][a-z])|(?<=[a-z])(?=[A-Z])")
_GAP: Final = re.compile(r"[^a-z]+")
# Pairs of letters that look like one letter, and single letters that look like another letter.
_ALIKE: Final = (("rn", "m"), ("vv", "w"), ("cl", "d"), ("i", "l"), ("j", "l"))


class _Name(LexiconFile):
    name: str
    domains: tuple[str, ...]
    apart: bool = False


class _File(LexiconFile):
    words: tuple[str, ...]
    confusables: dict[str, str]
    leet: dict[str, str]
    names: tuple[_Name, ...]


def mailable_name(name: str, sender: str | None, service: ServiceName | None = None) -> str:
    """Return the client's name as shown in emails.

    A protected name is replaced by the domain of `sender`, or by "" without a sender, unless that
    domain belongs to the name's owner. `service`, the service's own name, is protected too if
    given.
    """
    imitated = imitated_domains(name)
    if service is not None and _imitates(name, service):
        imitated = ()
    domain = (sender or "").rpartition("@")[2].lower()
    if imitated is None or any(domain == one or domain.endswith(f".{one}") for one in imitated):
        return name
    return domain


@lru_cache(maxsize=1_024)
def imitated_domains(name: str) -> tuple[str, ...] | None:
    """Return the domains of the owners of the protected names that `name` resembles, or None.

    A word of mixed alphabets counts as an imitation without domains. Never raises.
    """
    if any(map(_mixes_alphabets, name[:_CHARS].split())):
        return ()
    words = _skeleton_words(name[:_CHARS])
    joined = "".join(words)
    runs = _runs(words)
    found = [
        domains
        for skeleton, is_apart, domains in _protected()
        if skeleton in runs or (not is_apart and skeleton in joined)
    ]
    return tuple(domain for domains in found for domain in domains) if found else None


def _imitates(name: str, service: ServiceName) -> bool:
    """Return True if a name equals the service's name, with or without the companion words that
    impostors add.

    A name that only contains the service's name is allowed, because "Service" is part of many
    shops' names.
    """
    own = "".join(_skeleton_words(service.name))
    return own in _stripped({"".join(_skeleton_words(name[:_CHARS]))})


def _mixes_alphabets(word: str) -> bool:
    """Return True if a word mixes Latin letters with letters from another alphabet. East Asian
    scripts are allowed because East Asian names mix them with Latin letters."""
    letters = filter(str.isalpha, normalized(word, UnicodeForm.NFKC))
    alphabets = {unicodedata.name(letter, "UNKNOWN").split()[0] for letter in letters}
    return "LATIN" in alphabets and not alphabets <= _MAY_MIX


def _runs(words: list[str]) -> frozenset[str]:
    """Return the joined text of each run of consecutive words, with and without the companion words
    that impostors add."""
    spelled = {
        run for start in range(len(words)) for run in accumulate(words[start:]) if len(run) <= _RUN
    }
    return _stripped(spelled)


def _stripped(spelled: Set[str]) -> frozenset[str]:
    """Return the given texts, and each text without the companion words that impostors add at its
    start or end."""
    found, left = set(spelled), list(spelled)
    while left:
        run = left.pop()
        for word in _companions():
            for bare in (run.removeprefix(word), run.removesuffix(word)):
                if bare and bare not in found:
                    found.add(bare)
                    left.append(bare)
    return frozenset(found)


def _skeleton_words(name: str) -> list[str]:
    """Return the skeleton of each word in a name: lower-case Latin letters, with look-alikes
    merged."""
    composed = _CAMEL.sub(" ", normalized(name, UnicodeForm.NFKC))
    letters = "".join(map(_letter, normalized(composed, UnicodeForm.NFKD)))
    words = _GAP.split(letters)
    return [_merged(word) for word in words if word]


def _letter(mark: str) -> str:
    """Return the Latin letter that a character resembles, or "" for an invisible character. For any
    other character, return its case-folded form."""
    looks = _looks()
    if mark in looks:
        return looks[mark]
    if unicodedata.category(mark) in ("Mn", "Me", "Cf"):
        return ""
    folded = mark.casefold()
    return looks.get(folded, folded)


def _merged(word: str) -> str:
    for pair, letter in _ALIKE:
        word = word.replace(pair, letter)
    return word


@cache
def _file() -> _File:
    return lexicon(__file__, _File)


@cache
def _looks() -> dict[str, str]:
    alike = {mark: letter for letter, marks in _file().confusables.items() for mark in marks}
    return alike | _file().leet


@cache
def _companions() -> tuple[str, ...]:
    return tuple("".join(_skeleton_words(word)) for word in _file().words)


@cache
def _protected() -> tuple[tuple[str, bool, tuple[str, ...]], ...]:
    """Return, for each protected name, its skeleton, whether it is matched only as a whole word,
    and its owner's domains."""
    skeletons = (("".join(_skeleton_words(one.name)), one) for one in _file().names)
    return tuple(
        (skeleton, one.apart or len(skeleton) < _LONG, one.domains) for skeleton, one in skeletons
    )
