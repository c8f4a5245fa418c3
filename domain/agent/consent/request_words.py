"""The words and set phrases of requests, each with its role: `french.yaml` and `english.yaml`."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from domain.agent.brain import Language
from domain.agent.consent.answering_words import one_letter_off
from domain.agent.plan import ActionKind
from domain.core.lexicon import BrokenLexicon, LexiconFile, lexicon
from domain.core.text import fold

UNKNOWN: Final = "unknown"
NUMBER: Final = "number"
LONGEST_PHRASE: Final = 8
_TYPO_LETTERS: Final = range(6, 16)
_WEAK: Final = "weak"
_OF_MONEY: Final = frozenset({"money", "back", "give_back"})
# Understood in both languages, for people mix them.
_SHARED: Final = (
    *("agent", "negation", "instead", "conditional", "hypothetical", "person", "third"),
    *("report", "part", "exchange", "existing", "rules", "withdrawn"),
)


@dataclass(frozen=True, slots=True)
class WordRole:
    """`kind`: the action that the word names, or None."""

    role: str
    kind: ActionKind | None = None


@dataclass(frozen=True, slots=True)
class RequestWords:
    """`phrases`: by their words, joined by a space. `words`: of all of them, by which the language
    is recognized. `starts`: the first two words of phrases, with their lengths, longest first.
    `near`: misspelled words of actions, by their spelling."""

    phrases: Mapping[str, WordRole]
    words: frozenset[str]
    starts: Mapping[tuple[str, str], tuple[int, ...]]
    near: Mapping[str, WordRole]


class _File(LexiconFile):
    """`lookalikes`: words a letter away from an action that name none. `other_sense`: shared words
    of the other language that mean something else here."""

    roles: dict[str, tuple[str, ...]]
    actions: dict[str, dict[str, tuple[str, ...]]]
    lookalikes: tuple[str, ...]
    other_sense: tuple[str, ...]


@cache
def request_words(language: Language) -> RequestWords:
    """Raises BrokenLexicon."""
    name = "french" if language == "fr" else "english"
    file = _file(name)
    phrases: dict[str, WordRole] = {}
    for role, listed in file.roles.items():
        # "Give me my money": no word of it names the action.
        kind = ActionKind.REFUND if role in _OF_MONEY else None
        _add(phrases, listed, WordRole(role, kind), name)
    _add(phrases, file.lookalikes, WordRole(UNKNOWN), name)
    actions: dict[str, WordRole] = {}
    for action, forms in file.actions.items():
        kind = ActionKind.CANCEL_ORDER if action == "cancel" else ActionKind(action)
        for form, listed in forms.items():
            _add(actions, listed, WordRole(form, kind), name)
    for phrase, role in actions.items():
        _add(phrases, [phrase], role, name)
    words = frozenset(word for phrase in phrases for word in phrase.split())
    other = _file("english" if name == "french" else "french")
    for shared in _SHARED:
        for phrase in other.roles.get(shared, ()):
            if phrase not in file.other_sense:
                phrases.setdefault(phrase, WordRole(shared))
    near = {
        spelled: role
        for word, role in actions.items()
        if " " not in word and role.role != _WEAK
        for spelled in one_letter_off(word)
        if len(spelled) in _TYPO_LETTERS and spelled not in words
    }
    return RequestWords(phrases, words, _starts(phrases), near)


def _starts(phrases: Iterable[str]) -> dict[tuple[str, str], tuple[int, ...]]:
    lengths: dict[tuple[str, str], set[int]] = {}
    for phrase in phrases:
        words = phrase.split()
        if len(words) > 1:
            lengths.setdefault((words[0], words[1]), set()).add(len(words))
    return {start: tuple(sorted(found, reverse=True)) for start, found in lengths.items()}


@cache
def _file(name: str) -> _File:
    return lexicon(str(Path(__file__).with_name(f"{name}.py")), _File)


def _add(phrases: dict[str, WordRole], listed: Iterable[str], role: WordRole, name: str) -> None:
    for phrase in listed:
        if phrase in phrases:
            raise BrokenLexicon(f"{name}: {phrase!r} stands twice")
        if phrase != " ".join(fold(phrase).split()) or len(phrase.split()) > LONGEST_PHRASE:
            raise BrokenLexicon(f"{name}: {phrase!r} is not folded, or too long")
        phrases[phrase] = role
