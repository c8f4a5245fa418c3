"""Names that look like a carrier's, a bank's or the service's own.

A name is compared by its skeleton: letters that look alike are one letter, in either case,
their alphabet, their accents, and the blanks or signs between them. The names are in the YAML file.
"""

import re
import unicodedata
from collections.abc import Set
from functools import cache, lru_cache
from itertools import accumulate
from typing import Final

from domain.core.lexicon import LexiconFile, lexicon
from domain.core.service_name import ServiceName

# A shorter name is a part of many innocent words ("pushups"), so it must stand apart.
_LONG: Final = 5
_CHARS: Final = 120
# A short name with two or three such words.
_RUN: Final = 30
_MAY_MIX: Final = frozenset({"LATIN", "CJK", "HIRAGANA", "KATAKANA", "HANGUL"})
_CAMEL: Final = re.compile(r"(?<=[^\W\d_a-z])(?=[^\W\d_a-z][a-z])|(?<=[a-z])(?=[A-Z])")
_GAP: Final = re.compile(r"[^a-z]+")
# Pairs that look like one letter, and letters that look like each other.
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
    """Return the name as a mail may show it.

    `sender`: the address of the client's verified sender. A protected name is replaced by its
    domain, unless the domain belongs to the name; without a sender it is "". `service`: whose name
    is protected too, as the sender of a mail.
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
    """Return the domains of the protected names that `name` looks like, None if it looks like none.

    A word that mixes alphabets is an imitation of what it cannot be compared with. Pure and total:
    never raises.
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
    """Whether a name is the service's, with or without the words of impostors. A name that only
    contains it is another one: "Service" is a word of many shops."""
    own = "".join(_skeleton_words(service.name))
    return own in _stripped({"".join(_skeleton_words(name[:_CHARS]))})


def _mixes_alphabets(word: str) -> bool:
    """Whether a word has Latin letters and others, but for those that East Asian names mix."""
    letters = filter(str.isalpha, unicodedata.normalize("NFKC", word))
    alphabets = {unicodedata.name(letter, "UNKNOWN").split()[0] for letter in letters}
    return "LATIN" in alphabets and not alphabets <= _MAY_MIX


def _runs(words: list[str]) -> frozenset[str]:
    """All that consecutive words spell, also without the words that impostors put beside a name."""
    spelled = {
        run for start in range(len(words)) for run in accumulate(words[start:]) if len(run) <= _RUN
    }
    return _stripped(spelled)


def _stripped(spelled: Set[str]) -> frozenset[str]:
    """The same, and what is left of each without the words that impostors put beside a name."""
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
    """The words of a name by their skeletons: Latin letters in lower case, look-alikes merged."""
    composed = _CAMEL.sub(" ", unicodedata.normalize("NFKC", name))
    letters = "".join(map(_letter, unicodedata.normalize("NFKD", composed)))
    words = _GAP.split(letters)
    return [_merged(word) for word in words if word]


def _letter(mark: str) -> str:
    """The Latin letter that a mark looks like, "" for a mark that is not seen, else the mark."""
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
    """Each name's skeleton, whether it counts as a whole word alone, and its domains."""
    skeletons = (("".join(_skeleton_words(one.name)), one) for one in _file().names)
    return tuple(
        (skeleton, one.apart or len(skeleton) < _LONG, one.domains) for skeleton, one in skeletons
    )
