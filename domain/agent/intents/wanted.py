"""Derive the intents of a message from the meanings of its sentences.

An intent needs several meanings together, never a single word. A message with unexplained words
gets no ready-made answer.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from pydantic import Field

from domain.agent.brain import Category
from domain.agent.intent import Intent
from domain.agent.intents.meanings import GOODS, HARMLESS, NUMBER, Dictionary, meanings_file
from domain.agent.intents.sentence import MessageSentence, read_sentences
from domain.core.lexicon import BrokenLexicon, LexiconFile, lexicon

# Meanings that numbers add to a sentence.
_FIGURES: Final = frozenset({NUMBER, "count"})
_ALWAYS: Final = frozenset({HARMLESS, "count", "declined"})


_ASKS: Final = re.compile(
    r"\?|\b(?:tell|let) me\b|\bwonder|\b(?:dites|dis)[ -]moi\b|\bsavoir\b|\bexpli(?:quez|ain)\b",
    re.IGNORECASE,
)


_CLAUSE_END: Final = re.compile(r"(?<=[.!?;,\n])\s+")


class _Listed(LexiconFile):
    classes: str = Field(alias="class")
    wants: tuple[str, ...]
    unless: str = ""
    also: str = ""
    beside: str = Field(default="", alias="with")
    goods: bool = False
    names: bool = False
    over: str = ""
    covers: str = ""


class _File(LexiconFile):
    intents: dict[Intent, _Listed]


@dataclass(frozen=True, slots=True)
class _Rule:
    """The rule for one intent. `wants` lists alternatives. A sentence matches an alternative if it
    has a meaning from each of its elements."""

    intent: Intent
    categories: tuple[Category, ...]
    wants: tuple[tuple[frozenset[str], ...], ...]
    unless: frozenset[str]
    explains: frozenset[str]
    names: bool
    over: frozenset[Intent]
    covers: frozenset[Intent]

    def strength(self, meanings: frozenset[str]) -> int:
        """Return the number of elements in the longest alternative that matches the meanings.
        Return 0 if no alternative matches, or if a meaning in `unless` occurs."""
        best = 0
        for want in self.wants:
            for element in want:
                if meanings.isdisjoint(element):
                    break
            else:
                best = max(best, len(want))
        return best if best and meanings.isdisjoint(self.unless) else 0


@dataclass(frozen=True, slots=True)
class Want:
    """An intent and the sentences that express it. `categories` lists the likely categories of the
    message, most likely first."""

    intent: Intent
    categories: tuple[Category, ...]
    said: str

    @property
    def asked(self) -> bool:
        """Return True if the customer expresses the intent as a question, not as a statement."""
        return bool(_ASKS.search(self.said))


@dataclass(frozen=True, slots=True)
class Wants:
    """The intents of a message, most evident first. With `unexplained` words, the message may mean
    more."""

    all: tuple[Want, ...] = ()
    unexplained: tuple[str, ...] = ()

    @property
    def intents(self) -> tuple[Intent, ...]:
        return tuple(one.intent for one in self.all)


def intents(text: str) -> tuple[Intent, ...]:
    """Return all intents of a message, most evident first. The result is empty if no intent is
    evident."""
    return read_wants(text).intents


def read_wants(text: str, *, after: str = "") -> Wants:
    """Return the intents of a text, in linear time.

    `after` is the customer's previous message. Its intents apply if the text has none. Raises
    BrokenLexicon if the word lists are invalid.
    """
    said = read_sentences(text, _dictionary())
    rules = _rules()
    found = [_wanted_in(sentence.meanings) for sentence in said]
    covered = {other for wanted in found for intent in wanted for other in rules[intent].covers}
    strengths: dict[Intent, int] = {}
    places: dict[Intent, list[str]] = {}
    for sentence, wanted in zip(said, found, strict=True):
        for intent, strength in wanted.items():
            if intent not in covered:
                strengths[intent] = max(strength, strengths.get(intent, 0))
                places.setdefault(intent, []).append(sentence.text)
    ordered = sorted(strengths, key=lambda intent: -strengths[intent])
    if not ordered and after:
        before = read_wants(after).all
        return Wants(before, _unexplained(said, [rules[want.intent] for want in before]))
    return Wants(
        all=tuple(
            Want(intent, rules[intent].categories, "\n".join(places[intent])) for intent in ordered
        ),
        unexplained=_unexplained(said, [rules[intent] for intent in ordered]),
    )


def clauses_that_want(text: str, intent: Intent) -> str:
    """Return the clauses that express an intent, or the whole text if no single clause expresses
    the intent.

    Call this function only for a text without unexplained words.
    """
    found = [clause for clause in _CLAUSE_END.split(text) if intent in intents(clause)]
    return "\n".join(found) or text


@lru_cache(maxsize=2_000)
def _wanted_in(meanings: frozenset[str]) -> Mapping[Intent, int]:
    """Return the intents of a sentence with their strengths. Intents that another intent overrides
    are omitted."""
    strengths = {
        intent: strength
        for intent, rule in _rules().items()
        if (strength := rule.strength(meanings))
    }
    kept: dict[Intent, int] = {}
    # Process the strongest intent first because it excludes other intents.
    for intent in sorted(strengths, key=lambda one: -strengths[one]):
        if not any(intent in _rules()[other].over for other in kept):
            kept[intent] = strengths[intent]
    beaten = {other for intent in kept for other in _rules()[intent].over}
    return {intent: kept[intent] for intent in kept if intent not in beaten}


def _unexplained(said: Iterable[MessageSentence], rules: list[_Rule]) -> tuple[str, ...]:
    explaining = _ALWAYS.union(*(rule.explains for rule in rules))
    takes_name = any(rule.names for rule in rules)
    found: list[str] = []
    numbers: set[str] = set()
    for sentence in said:
        for place, word in enumerate(sentence.words):
            known = sentence.of(place)
            if NUMBER in known:
                numbers.add(word)
            if known & explaining:
                continue
            if takes_name and sentence.names_a_thing(place):
                # An intent explains only one product name. A second name counts as unexplained.
                takes_name = False
                continue
            found.append(word)
    if len(numbers) > 1:
        found += sorted(numbers)
    return tuple(found)


@cache
def _dictionary() -> Dictionary:
    file, wants = meanings_file(), lexicon(__file__, _File).intents
    return Dictionary(
        {
            HARMLESS: file.harmless,
            GOODS: file.goods,
            "article": file.articles,
            **file.meanings,
            **{_beside(intent): want.beside for intent, want in wants.items()},
        }
    )


@cache
def _rules() -> dict[Intent, _Rule]:
    file, wants = meanings_file(), lexicon(__file__, _File).intents
    known = frozenset({*file.meanings, GOODS, *_FIGURES})

    def meanings(listed: str) -> frozenset[str]:
        return _meanings(listed, known)

    return {
        intent: _Rule(
            intent=intent,
            categories=tuple(map(Category, want.classes.split())),
            wants=tuple(
                tuple(meanings(element.replace("/", " ")) for element in listed.split())
                for listed in want.wants
            ),
            unless=meanings(want.unless),
            explains=meanings(want.also)
            | {_beside(intent)}
            | (frozenset({GOODS}) if want.goods else frozenset()),
            names=want.names,
            over=frozenset(map(Intent, want.over.split())),
            covers=frozenset(map(Intent, want.covers.split())),
        )
        for intent, want in wants.items()
    }


def _meanings(listed: str, known: frozenset[str]) -> frozenset[str]:
    """Parse a space-separated list of meanings. Raises BrokenLexicon for an unknown meaning."""
    named = frozenset(listed.split())
    if not named <= known:
        raise BrokenLexicon(f"wanted.yaml: no such meaning: {min(named - known)}")
    return named


def _beside(intent: Intent) -> str:
    return f"beside {intent}"
