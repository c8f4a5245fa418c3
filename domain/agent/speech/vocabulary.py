"""The French and English words used in requests, with their roles in the grammar."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Final

from domain.agent.brain import Language
from domain.agent.plan import ActionKind
from domain.agent.speech.request import Veto
from domain.core.lexicon import BrokenLexicon, LexiconFile, lexicon
from domain.core.text import fold


class SpeechRole(StrEnum):
    """A word's role in a clause. Each role is one character, so that a clause is a string of roles
    that the grammar matches with regular expressions."""

    FILLER = "f"
    PLEASE = "p"
    ASSENT = "y"
    NO_WORD = "x"
    I = "i"  # noqa: E741 - the first person
    YOU = "u"
    ME = "m"
    THIRD = "h"
    WISH = "w"
    I_WISH = "W"
    WISH_THAT = "K"
    SOFT_WISH = "k"
    POLITE = "V"
    MIND = "G"
    MAY = "M"
    BE = "b"
    LIGHT = "l"
    GIVE = "g"
    BACK = "B"
    MONEY = "$"
    TO = "t"
    PREP = "r"
    ART = "a"
    DET = "d"
    OWN = "o"
    INDEF = "e"
    FULL = "q"
    ORDER = "O"
    PRO = "P"
    THING = "L"
    NUMBER = "z"
    SUM = "s"
    COUNT = "c"
    OTHER_THING = "T"
    KNOWN = "_"
    UNKNOWN = "*"
    ALSO_KIND = "&"
    OR = "|"
    BUT = "!"
    SO = ">"
    BECAUSE = ";"
    THAT = ":"
    NEGATION = "N"
    INSTEAD = "I"
    CONDITIONAL = "C"
    HYPOTHETICAL = "H"
    DOUBT = "D"
    PERSON = "X"
    REPORT = "Q"
    PART = "%"
    EXCHANGE = "E"
    EXISTING = "S"
    SOFT_EXISTING = "~"
    RULES = "U"
    AGENT = "A"
    WITHDRAWN = "Y"
    IMPERATIVE = "1"
    INFINITIVE = "2"
    EITHER = "3"
    PARTICIPLE = "4"
    SUBJUNCTIVE = "5"
    NOUN = "6"
    BASE = "7"
    GERUND = "8"
    WEAK = "9"
    UNSENT = "j"
    OTHER = "0"


ACTION_FORMS: Final = frozenset("1234567890j")
"""The roles of words that name an action."""

OPPOSING: Final[Mapping[str, Veto]] = {
    SpeechRole.AGENT: Veto.TO_THE_AGENT,
    SpeechRole.NEGATION: Veto.NEGATED,
    SpeechRole.INSTEAD: Veto.NEGATED,
    SpeechRole.CONDITIONAL: Veto.CONDITIONAL,
    SpeechRole.HYPOTHETICAL: Veto.HYPOTHETICAL,
    SpeechRole.PERSON: Veto.OTHER_PERSON,
    SpeechRole.THIRD: Veto.OTHER_PERSON,
    SpeechRole.REPORT: Veto.QUOTED,
    SpeechRole.PART: Veto.PART,
    SpeechRole.EXCHANGE: Veto.EXCHANGE,
    SpeechRole.EXISTING: Veto.EXISTING,
    SpeechRole.RULES: Veto.RULES,
    SpeechRole.WITHDRAWN: Veto.WITHDRAWN,
}
"""The veto that each word role adds to a request in its context."""

LONGEST_PHRASE: Final = 8
_TYPO_LENGTHS: Final = range(6, 16)


@dataclass(frozen=True, slots=True)
class Meaning:
    """The meaning of a word. `kind` is the action that the word names, if any. `sure` is False for
    a word with a typo."""

    role: SpeechRole
    kind: ActionKind | None = None
    sure: bool = True


@dataclass(frozen=True, slots=True)
class SpeechWords:
    """The vocabulary of one language.

    - `phrases`: the meaning of each phrase of one or more words.
    - `words`: the words of all phrases, which identify the language.
    - `starts`: the first word of each multi-word phrase, with the length of the longest such
      phrase.
    - `actions`: the single words that name an action.
    """

    language: Language
    phrases: Mapping[str, Meaning]
    words: frozenset[str]
    starts: Mapping[str, int]
    actions: tuple[tuple[str, Meaning], ...]

    def of(self, word: str) -> Meaning:
        """Return the meaning of a word, or the role UNKNOWN. A word that names an action may have
        one typo."""
        if known := self.phrases.get(word):
            return known
        if len(word) in _TYPO_LENGTHS and word not in self.words:
            for spelled, meaning in self.actions:
                if spelled[0] == word[0] and _a_letter_apart(spelled, word):
                    return Meaning(meaning.role, meaning.kind, sure=False)
        return Meaning(SpeechRole.UNKNOWN)


class _ActionWords(LexiconFile):
    either: tuple[str, ...] = ()
    imperative: tuple[str, ...] = ()
    infinitive: tuple[str, ...] = ()
    participle: tuple[str, ...] = ()
    subjunctive: tuple[str, ...] = ()
    noun: tuple[str, ...] = ()
    base: tuple[str, ...] = ()
    gerund: tuple[str, ...] = ()
    weak: tuple[str, ...] = ()
    unsent: tuple[str, ...] = ()
    other: tuple[str, ...] = ()


class _Actions(LexiconFile):
    refund: _ActionWords
    cancel: _ActionWords


class _File(LexiconFile):
    """The contents of a language's YAML file. `lookalikes` differ from an action word by one
    letter. `other_sense` lists words of the other language that mean something else here."""

    roles: dict[str, tuple[str, ...]]
    actions: _Actions
    lookalikes: tuple[str, ...]
    other_sense: tuple[str, ...]


@cache
def vocabulary(language: Language) -> SpeechWords:
    """Return the vocabulary of one language, from its YAML file. Raises BrokenLexicon if the file
    is invalid."""
    name = "french" if language == "fr" else "english"
    file = _file(name)
    phrases: dict[str, Meaning] = {}
    for role, listed in file.roles.items():
        _add(phrases, listed, Meaning(_role(role)), name)
    kinds = {ActionKind.REFUND: file.actions.refund, ActionKind.CANCEL_ORDER: file.actions.cancel}
    actions: dict[str, Meaning] = {}
    for kind, forms in kinds.items():
        for form, listed in forms:
            _add(actions, listed, Meaning(_role(form), kind), name)
    _add(phrases, file.lookalikes, Meaning(SpeechRole.UNKNOWN), name)
    for phrase, meaning in actions.items():
        _add(phrases, [phrase], meaning, name)
    words = frozenset(word for phrase in phrases for word in phrase.split())
    other = _file("english" if name == "french" else "french")
    for role in OPPOSING:
        # Also recognize vetoes in the other language because customers mix languages.
        for phrase in other.roles.get(SpeechRole(role).name.lower(), ()):
            if phrase not in file.other_sense:
                phrases.setdefault(phrase, Meaning(SpeechRole(role)))
    return SpeechWords(
        language=language,
        phrases=phrases,
        words=words,
        starts=_starts(phrases),
        actions=tuple(
            (word, meaning)
            for word, meaning in actions.items()
            if " " not in word and meaning.role is not SpeechRole.WEAK
        ),
    )


def _starts(phrases: Iterable[str]) -> dict[str, int]:
    longest: dict[str, int] = {}
    for phrase in phrases:
        first, *more = phrase.split()
        if more:
            longest[first] = max(longest.get(first, 0), 1 + len(more))
    return longest


@cache
def _file(name: str) -> _File:
    return lexicon(str(Path(__file__).with_name(f"{name}.py")), _File)


def _role(name: str) -> SpeechRole:
    try:
        return SpeechRole[name.upper()]
    except KeyError:
        raise BrokenLexicon(f"there is no role {name!r}") from None


def _add(phrases: dict[str, Meaning], listed: Iterable[str], meaning: Meaning, name: str) -> None:
    for phrase in listed:
        if phrase in phrases:
            raise BrokenLexicon(f"{name}: {phrase!r} stands twice")
        if phrase != " ".join(fold(phrase).split()) or len(phrase.split()) > LONGEST_PHRASE:
            raise BrokenLexicon(f"{name}: {phrase!r} is not folded, or too long")
        phrases[phrase] = meaning


def _a_letter_apart(one: str, other: str) -> bool:
    """Return True if the words differ by at most one changed, added or dropped letter, or by two
    swapped letters."""
    if one == other:
        return True
    if abs(len(one) - len(other)) > 1:
        return False
    at = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), None)
    if at is None:
        return True
    if len(one) == len(other):
        swapped = one[:at] + one[at + 1 : at + 2] + one[at] + one[at + 2 :]
        return one[at + 1 :] == other[at + 1 :] or swapped == other
    longer, shorter = (one, other) if len(one) > len(other) else (other, one)
    return longer[at + 1 :] == shorter[at:]
