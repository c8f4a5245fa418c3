"""Terms for comparing a question with sentences from the knowledge base: stems, numbers with units,
names, and the expected kind of answer. After a change to this module or its word lists, run `python
-m training.train_answers`."""

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from typing import Final

import Stemmer

from domain.agent.brain import Language
from domain.core.effort import spend
from domain.core.lexicon import LexiconFile, lexicon
from domain.core.text import fold

READ_CHARS: Final = 2_000
_CACHED_CHARS: Final = 600
_WORD: Final = re.compile(r"\d+(?:[.,]\d+)?|[a-z][a-z0-9]*|[€£%°$]")
_CURRENCIES: Final = frozenset({"eur", "gbp", "usd", "chf"})
_SYMBOLS: Final = {"€": "eur", "£": "gbp", "%": "percent", "$": "usd", "°": "degree"}
_NAME: Final = re.compile(r"[a-z]+(?:-[a-z]+)*")
_MEASURED: Final = re.compile(
    r"\b(?:combien d(?:e |')|how (?:many|much) |quel(?:le)? est l(?:a |e |')|what(?:'s| is) the )"
    r"([a-z]+)"
)
_SYMBOL_BEFORE: Final = re.compile(r"([€£$])(\d+(?:[.,]\d+)?)")
_NUMBER_BEFORE_UNIT: Final = re.compile(r"\d+(?:[.,]\d+)?")


class _File(LexiconFile):
    """The content of `adapters/brain/answer_words.yaml`."""

    stop_words: dict[str, str]
    asks: dict[str, str]
    holds: dict[str, str]
    holds_units: dict[str, str]
    units: list[str]
    cues: dict[str, str]
    joins: str
    questions: str
    named: list[str]


@dataclass(frozen=True, slots=True)
class _Words:
    stop: frozenset[str]
    asks: tuple[tuple[str, re.Pattern[str]], ...]
    holds: dict[str, re.Pattern[str]]
    holds_units: dict[str, frozenset[str]]
    unit: dict[str, str]
    cues: tuple[tuple[str, re.Pattern[str]], ...]
    joins: re.Pattern[str]
    questions: re.Pattern[str]
    named: dict[str, str]


@cache
def _words() -> _Words:
    file = lexicon(__file__, _File)
    return _Words(
        stop=frozenset(" ".join(file.stop_words.values()).split()),
        asks=tuple((kind, _any_of(listed)) for kind, listed in file.asks.items()),
        holds={kind: _any_of(listed) for kind, listed in file.holds.items()},
        holds_units={kind: frozenset(named.split()) for kind, named in file.holds_units.items()},
        unit={name: line.split()[0] for line in file.units for name in line.split()},
        cues=tuple((cue, _any_of(listed)) for cue, listed in file.cues.items()),
        joins=re.compile(rf"{_any_of(file.joins).pattern}|\?\s"),
        questions=_any_of(file.questions),
        named={name: line.split()[0] for line in file.named for name in line.split()},
    )


def _any_of(listed: str) -> re.Pattern[str]:
    parts = (
        re.escape(word).replace(r"\.", r"[ '’]").replace(r"\*", r"\w*") for word in listed.split()
    )
    return re.compile(rf"\b(?:{'|'.join(parts)})\b")


@lru_cache(maxsize=2)
def _stemmer(language: Language) -> "Stemmer.Stemmer":
    return Stemmer.Stemmer("french" if language == "fr" else "english")


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of a text.

    - `stems`: the stems of content words.
    - `numbers`: numbers with their units ("40 l").
    - `labelled`: numbers with the preceding word ("spf 50").
    - `named`: names of places, colors and the like.
    - `measured`: quantities requested with "how many" or "how much".
    """

    stems: frozenset[str]
    numbers: frozenset[str]
    labelled: frozenset[tuple[str, str]]
    named: frozenset[str]
    measured: frozenset[str]
    folded: str


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A customer's message, parsed as a question.

    - `terms`: the terms, parsed in each language.
    - `kinds`: the expected kinds of answer.
    - `cues`: the question words and phrases.
    - `asked`: the number of questions.
    - `joined`: the message combines several questions.
    - `words`: all words and pairs of adjacent words, folded.
    """

    terms: dict[Language, Terms]
    kinds: frozenset[str]
    cues: frozenset[str]
    asked: int
    joined: bool
    words: frozenset[str]


def read_question(text: str) -> AskedQuestion:
    """Return the terms, the kinds and the number of questions in the first `READ_CHARS` characters
    of a text."""
    read = text[:READ_CHARS]
    folded = fold(read)
    known = _words()
    parts = [len(known.questions.findall(part)) for part in known.joins.split(folded)]
    said = _WORD.findall(folded)
    return AskedQuestion(
        terms={"fr": _terms(read, "fr"), "en": _terms(read, "en")},
        kinds=frozenset(kind for kind, words in known.asks if words.search(folded)),
        cues=frozenset(cue for cue, words in known.cues if words.search(folded)),
        asked=sum(parts),
        joined=sum(map(bool, parts)) > 1,
        words=frozenset(said) | {" ".join(pair) for pair in pairwise(said)},
    )


def terms(text: str, language: Language) -> Terms:
    """Return the terms of a text in a language. The cost grows with the length of the text. The
    terms of short texts, such as sentences of the knowledge base, are cached."""
    return _cached(text, language) if len(text) <= _CACHED_CHARS else _terms(text, language)


@lru_cache(maxsize=2_000)
def _cached(text: str, language: Language) -> Terms:
    return _terms(text, language)


def _terms(text: str, language: Language) -> Terms:
    spend(len(text))
    folded = _SYMBOL_BEFORE.sub(r"\2 \1", fold(text))
    found = [_SYMBOLS.get(word, word) for word in _WORD.findall(folded)]
    known = _words()
    stemmer = _stemmer(language)
    stems: set[str] = set()
    numbers: set[str] = set()
    labelled: set[tuple[str, str]] = set()
    for place, word in enumerate(found):
        if _NUMBER_BEFORE_UNIT.fullmatch(word):
            after = found[place + 1] if place + 1 < len(found) else ""
            before = found[place - 1] if place else ""
            unit = known.unit.get(after, "") or (before if before in _CURRENCIES else "")
            numbers.add(f"{word.replace(',', '.')} {unit}".strip())
            if not unit and before and before not in known.stop and not before[0].isdigit():
                labelled.add((stemmer.stemWord(before), word))
        elif word not in known.stop and len(word) > 1 and word not in known.unit:
            stems.add(stemmer.stemWord(word))
    return Terms(
        stems=frozenset(stems),
        numbers=frozenset(numbers),
        labelled=frozenset(labelled),
        named=frozenset(known.named[word] for word in _NAME.findall(folded) if word in known.named),
        measured=frozenset(
            known.unit.get(word) or stemmer.stemWord(word)
            for word in _MEASURED.findall(folded)
            if word not in known.stop
        ),
        folded=folded,
    )


def holds_kind(kind: str, said: Terms) -> bool:
    """Return whether the units or words of a text indicate an answer of the given kind."""
    known = _words()
    units = {number.partition(" ")[2] for number in said.numbers}
    return bool(units & known.holds_units[kind]) or bool(known.holds[kind].search(said.folded))
