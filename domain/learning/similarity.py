"""Compute how close two answers to a customer are in meaning.

Words are mapped to meanings (`similarity.yaml`): "remboursé", "refund" and "money back" are equal.
A different amount, date or number, or a denial in only one answer, reduces the similarity by a
factor.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

from domain.agent.grounding.facts import facts
from domain.core.effort import spend
from domain.core.lexicon import BrokenLexicon, LexiconFile, lexicon
from domain.core.text import fold

SAME_MEANING: Final = 0.55
"""Minimum similarity at which two answers are considered equal in meaning. docs/learning.md gives
the reason for the value."""

READ: Final = 3_000
"""Maximum number of characters of each text that are compared."""

_MANY: Final = 400
# Factors that reduce the similarity if one text denies a statement in the other, or if their facts
# differ.
_DENIED: Final = 0.45
_OTHER_FACTS: Final = 0.45
_FACT_WEIGHT: Final = 1.5
_ALIKE: Final = 5
_SCOPE: Final = 6
_CLAUSE: Final = re.compile(r"[.!?;:,\n]+|\b(?:but|mais|because|car)\b")
_WORD: Final = re.compile(r"[a-z0-9]+")
_ENDING: Final = re.compile(
    r"(?:ations?|ements?|ments?|ingly|ings?|ees?|ers?|ees|ed|es|ez|er|ent|ons?|s|e)$"
)
_CONTRACTION: Final = re.compile(r"n't\b|\bcan(?:not|'t)\b|\bwon't\b")
_PHRASE: Final = re.compile("[ '-]")


class _Meaning(LexiconFile):
    says: tuple[str, ...]
    denies: tuple[str, ...] = ()


class _File(LexiconFile):
    stop: str
    negations: str
    meanings: dict[str, _Meaning]


@dataclass(frozen=True, slots=True)
class _Words:
    """The word lists. `whole` and `stem_prefixes` map a word or a prefix to a meaning and to
    whether the meaning is negated. `phrases` matches expressions of several words."""

    stop: frozenset[str]
    negations: frozenset[str]
    whole: dict[str, tuple[str, bool]]
    stem_prefixes: dict[str, tuple[str, bool]]
    phrases: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class _Said:
    """The content of a text: its facts and its meanings. Each meaning is asserted, negated or
    both."""

    meanings: dict[str, frozenset[bool]]
    needs: frozenset[str]
    gives: frozenset[str]


def similarity(one: str, other: str) -> float:
    """Return the symmetric similarity of two texts in French or English, from 0 to 1. Compares at
    most READ characters of each."""
    # A fixed order of the texts makes the rounded result symmetric.
    first, second = sorted((one[:READ].strip(), other[:READ].strip()))
    if first == second:
        return 1.0
    spend(len(first) + len(second))
    ours, theirs = _said(first), _said(second)
    near = _overlap(ours, theirs)
    if _denies(ours, theirs):
        near *= _DENIED
    if _other_facts(ours, theirs):
        near *= _OTHER_FACTS
    return round(min(near, 1.0), 4)


def _overlap(ours: _Said, theirs: _Said) -> float:
    """Return the Dice coefficient of the contents of two texts. Facts have a higher weight than
    meanings."""
    shared = sum(_has(theirs, word) for word in ours.meanings)
    shared += sum(_has(ours, word) for word in theirs.meanings)
    facts_shared = len(ours.needs & theirs.gives) + len(theirs.needs & ours.gives)
    all_of = len(ours.meanings) + len(theirs.meanings)
    facts_all = len(ours.needs) + len(theirs.needs)
    weight = all_of + _FACT_WEIGHT * facts_all
    return (shared + _FACT_WEIGHT * facts_shared) / weight if weight else 0.0


def _has(said: _Said, word: str) -> bool:
    if word in said.meanings:
        return True
    return len(word) >= _ALIKE and any(
        other.startswith(word[:_ALIKE]) for other in said.meanings if len(other) >= _ALIKE
    )


def _denies(ours: _Said, theirs: _Said) -> bool:
    """Return True if one text asserts a meaning that the other only negates."""
    both = ours.meanings.keys() & theirs.meanings.keys()
    return any(ours.meanings[word].isdisjoint(theirs.meanings[word]) for word in both)


def _other_facts(ours: _Said, theirs: _Said) -> bool:
    """Return True if each text states a fact that the other lacks, and both facts are of the same
    kind."""
    missing = {_kind(key) for key in ours.needs - theirs.gives}
    return bool(missing & {_kind(key) for key in theirs.needs - ours.gives})


def _kind(key: str) -> str:
    return key.partition(":")[0]


def _said(text: str) -> _Said:
    found = facts(text)
    meanings: dict[str, set[bool]] = {}
    for word, affirmed in _statements(text):
        if len(meanings) < _MANY or word in meanings:
            meanings.setdefault(word, set()).add(affirmed)
    return _Said(
        meanings={word: frozenset(signs) for word, signs in meanings.items()},
        needs=frozenset(key for one in found for key in one.needs),
        gives=frozenset(key for one in found for key in one.gives),
    )


def _statements(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the meaning of each significant word in a text, and whether the text asserts or negates
    it."""
    words = _words()
    readable = _CONTRACTION.sub(" not ", fold(text).replace("’", "'"))
    marked = words.phrases.sub(lambda match: f" {_joined(match[0])} ", readable)
    for clause in _CLAUSE.split(marked):
        denied = 0
        for word in _WORD.findall(clause):
            if word in words.negations:
                denied = _SCOPE
                continue
            denied = max(0, denied - 1)
            if word in words.stop or word.isdecimal():
                continue
            meaning, affirmed = _meaning(word)
            yield meaning, affirmed is not (denied > 0)


@cache
def _words() -> _Words:
    """Return the word lists for the similarity. Raises BrokenLexicon if their file is invalid."""
    file = lexicon(__file__, _File)
    whole: dict[str, tuple[str, bool]] = {}
    stem_prefixes: dict[str, tuple[str, bool]] = {}
    phrases: list[str] = []
    for name, meaning in file.meanings.items():
        for written, says in (
            *((w, True) for w in meaning.says),
            *((w, False) for w in meaning.denies),
        ):
            into = stem_prefixes if written.endswith("*") else whole
            word = written.removesuffix("*")
            if _PHRASE.search(word):
                phrases.append(word)
                word = _joined(word)
            if word in into:
                raise BrokenLexicon(f"{word!r} means both {into[word][0]} and {name}")
            into[word] = (name, says)
    longest = sorted(phrases, key=len, reverse=True)
    return _Words(
        stop=frozenset(file.stop.split()),
        negations=frozenset(file.negations.split()),
        whole=whole,
        stem_prefixes=stem_prefixes,
        phrases=re.compile(rf"\b(?:{'|'.join(map(re.escape, longest))})\b"),
    )


def _meaning(word: str) -> tuple[str, bool]:
    """Return the meaning of a word, and whether the word asserts or negates it. The meaning of an
    unknown word is its stem."""
    words = _words()
    if word in words.whole:
        return words.whole[word]
    for length in range(len(word), 2, -1):
        if word[:length] in words.stem_prefixes:
            return words.stem_prefixes[word[:length]]
    stem = _ENDING.sub("", word)
    return (stem if len(stem) > 2 else word), True


def _joined(phrase: str) -> str:
    return _PHRASE.sub("", phrase)
