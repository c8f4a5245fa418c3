"""The answer to "Shall we …? Reply yes.": yes, no, another order, or anything else.

A positive grammar, as for requests: every word of the answer must be one that answers. What is
left over makes it something else, and the question counts as dropped.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from typing import Final

from domain.agent.plan import ActionKind
from domain.agent.speech.confirmation import Assent, Confirmation
from domain.agent.speech.reading import spoken_request
from domain.agent.speech.request import Standing
from domain.agent.speech.utterance import Sentence, Word, utterance
from domain.agent.speech.vocabulary import SpeechRole, vocabulary
from domain.core.lexicon import BrokenLexicon, LexiconFile, lexicon

_READ_WORDS: Final = 80
_LONGEST_PHRASE: Final = 6
_SIGNATURE: Final = 4
_DRAWN_OUT: Final = re.compile(r"([^\W\d])\1{2,}")
_LIMITING: Final = frozenset(
    {
        SpeechRole.NEGATION,
        SpeechRole.INSTEAD,
        SpeechRole.CONDITIONAL,
        SpeechRole.BUT,
        SpeechRole.DOUBT,
        SpeechRole.PART,
    }
    | {SpeechRole.EXCHANGE, SpeechRole.WITHDRAWN, SpeechRole.RULES}
)
# Of the weak words those that are no way to say no.
_DISCARDED: Final = frozenset({"bin", "scrap", "ditch", "supprimez", "supprimer", "supprime"})
_NODS: Final = frozenset("👍👌✅🆗💯🙆✔")
_HEAD_SHAKES: Final = frozenset("👎❌🚫🙅✖⛔")


class _Does(StrEnum):
    """What a word of an answer does."""

    ASSENT = "assent"
    DENIAL = "denial"
    INSTEAD = "instead"
    CORRECTING = "correcting"
    ASKED = "asked"
    ANOTHER = "another"
    ACTION = "action"
    AROUND = "around"
    ELSE = "else"


@dataclass(slots=True)
class _Answer:
    """What the words of an answer do, in order. `another`: the other orders that are named."""

    does: list[_Does] = field(default_factory=list)
    kinds: set[ActionKind] = field(default_factory=set)
    another: list[str] = field(default_factory=list)
    asks: bool = False
    refuses_asked: bool = False

    def has(self, *does: _Does) -> bool:
        return any(one in does for one in self.does)

    @property
    def first(self) -> _Does | None:
        return next((one for one in self.does if one is not _Does.AROUND), None)


def read_confirmation(
    text: str, numbers: tuple[str, ...], asked: str, kind: ActionKind | None = None
) -> Confirmation:
    """What the customer answers. Never raises.

    `numbers`: of the orders that the message names. `asked`: of the order that the question names.
    `kind`: what it asks to do; None where a yes that names another action need not be told apart.
    """
    answer = _read(text, numbers, asked)
    shown = _shown(text)
    if answer.asks or (kind and answer.kinds - {kind}):
        return _confirmation(Assent.OTHER)
    if shown is not None and not answer.does:
        return _confirmation(shown)
    if answer.another or answer.has(_Does.INSTEAD):
        return _correction(answer)
    if answer.has(_Does.DENIAL):
        return _confirmation(_denial(text, answer))
    return _confirmation(Assent.OTHER if shown is Assent.NO else _assent(text, answer))


def _confirmation(assent: Assent) -> Confirmation:
    return Confirmation(assent=assent)


def _correction(answer: _Answer) -> Confirmation:
    """One other order, or "the other one"; not a question beside it, nor a second matter."""
    if answer.has(_Does.ELSE) or len(answer.another) > 1:
        return _confirmation(Assent.OTHER)
    if answer.has(_Does.ASKED) and not answer.refuses_asked:
        return _confirmation(Assent.OTHER)
    number = answer.another[0] if answer.another else None
    return Confirmation(assent=Assent.CORRECTION, number=number)


def _assent(text: str, answer: _Answer) -> Assent:
    """A yes with nothing more; or the request again, as plain as the first time."""
    if answer.has(_Does.CORRECTING):
        return Assent.OTHER
    if answer.has(_Does.ASSENT) and not answer.has(_Does.ELSE):
        return Assent.YES
    again = answer.has(_Does.ACTION) and spoken_request(text).standing is Standing.PLAIN
    return Assent.YES if again else Assent.OTHER


def _denial(text: str, answer: _Answer) -> Assent:
    if answer.first is not _Does.DENIAL or answer.has(_Does.ASSENT):
        return Assent.OTHER
    if answer.has(_Does.ACTION) and spoken_request(text).standing is not Standing.NONE:
        return Assent.OTHER
    return Assent.NO


def _shown(text: str) -> Assent | None:
    """A nod or a shake of the head, in a sign."""
    if any(sign in text for sign in _HEAD_SHAKES):
        return Assent.NO
    return Assent.YES if any(sign in text for sign in _NODS) else None


def _read(text: str, numbers: tuple[str, ...], asked: str) -> _Answer:
    answer = _Answer(asks="?" in text)
    said = utterance(text)
    if said.quoted:
        answer.does.append(_Does.ELSE)
    read = 0
    for sentence in said.sentences:
        read += sum(len(run.words) for run in sentence.runs)
        if read > _READ_WORDS:
            answer.does.append(_Does.ELSE)
            break
        answer.asks = answer.asks or sentence.asks
        if answer.does and _closes(text, sentence):
            continue
        for run in sentence.runs:
            _take(answer, run.words, {_same(number): number for number in numbers}, asked)
    return answer


def _take(answer: _Answer, words: tuple[Word, ...], numbers: Mapping[str, str], asked: str) -> None:
    said_before = ""
    for phrase, does, kind in _phrases(words):
        if does is None and _same(phrase) == _same(asked):
            answer.does.append(_Does.ASKED)
            answer.refuses_asked |= said_before in {"not", "pas", "not the", "pas la"}
        elif does is None and _same(phrase) in numbers:
            answer.does.append(_Does.ANOTHER)
            if numbers[_same(phrase)] not in answer.another:
                answer.another.append(numbers[_same(phrase)])
        else:
            answer.does.append(does or _Does.ELSE)
        if kind:
            answer.kinds.add(kind)
        if phrase not in {"la", "le", "the", "order", "commande", "la commande", "the order"}:
            said_before = phrase


def _phrases(words: tuple[Word, ...]) -> Iterator[tuple[str, _Does | None, ActionKind | None]]:
    """Each word or phrase with what it does; None for a number."""
    known = _words().does
    at = 0
    while at < len(words) and not _opens(_words().well_wishes, words[at:]):
        word = words[at]
        taken, found = 1, None
        for length in range(min(_LONGEST_PHRASE, len(words) - at), 0, -1):
            phrase = _spelled(words[at : at + length])
            if phrase in known:
                taken, found = length, known[phrase]
                break
        phrase = _spelled(words[at : at + taken])
        kind = _action(word) if found is None or found is _Does.AROUND else None
        if kind:
            yield word.folded, _Does.ACTION, kind
            taken = 1
        elif found:
            yield phrase, found, None
        else:
            yield phrase, None if word.shape == "number" else _Does.ELSE, None
        at += taken


def _action(word: Word) -> ActionKind | None:
    for known in (vocabulary("fr"), vocabulary("en")):
        meaning = known.of(word.folded)
        if meaning.kind and (meaning.role is not SpeechRole.WEAK or word.folded in _DISCARDED):
            return meaning.kind
    return None


def _closes(text: str, sentence: Sentence) -> bool:
    """Whether the sentence is a farewell or a name, which says nothing more."""
    if sentence.asks:
        return False
    words = sentence.runs[0].words
    if _opens(_words().farewells, words):
        return True
    every = [word for run in sentence.runs for word in run.words]
    return len(every) <= _SIGNATURE and all(
        word.shape == "word" and text[word.start].isupper() and not _means_something(word.folded)
        for word in every
    )


def _spelled(words: tuple[Word, ...]) -> str:
    """ "Ouiiii" is "oui": a letter that comes three times is one."""
    return " ".join(_DRAWN_OUT.sub(r"\1", one.folded) for one in words)


def _opens(phrases: tuple[str, ...], words: tuple[Word, ...]) -> bool:
    """Whether a farewell begins here, with nothing in it that would limit an answer."""
    if any(_limits(word) for word in words):
        return False
    opening = _spelled(words[:_LONGEST_PHRASE]) + " "
    return any(opening.startswith(f"{phrase} ") for phrase in phrases)


def _limits(word: Word) -> bool:
    known = (vocabulary(language).phrases.get(word.folded) for language in ("fr", "en"))
    return word.shape != "word" or any(
        meaning and (meaning.role in _LIMITING or meaning.kind) for meaning in known
    )


def _means_something(word: str) -> bool:
    return word in _words().does or any(
        word in vocabulary(language).phrases for language in ("fr", "en")
    )


def _same(number: str) -> str:
    return number.strip("# ").casefold()


class _File(LexiconFile):
    assent: tuple[str, ...]
    denial: tuple[str, ...]
    instead: tuple[str, ...]
    correcting: tuple[str, ...]
    order: tuple[str, ...]
    around: tuple[str, ...]
    restating: tuple[str, ...]
    farewells: tuple[str, ...]
    well_wishes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _AnswerWords:
    does: Mapping[str, _Does]
    farewells: tuple[str, ...]
    well_wishes: tuple[str, ...]


@cache
def _words() -> _AnswerWords:
    file = lexicon(__file__, _File)
    does: dict[str, _Does] = {}
    for listed, what in (
        (file.assent, _Does.ASSENT),
        (file.denial, _Does.DENIAL),
        (file.instead, _Does.INSTEAD),
        (file.correcting, _Does.CORRECTING),
        (file.order + file.around + file.restating, _Does.AROUND),
    ):
        for phrase in listed:
            if phrase in does:
                raise BrokenLexicon(f"answering.yaml: {phrase!r} stands twice")
            does[phrase] = what
    return _AnswerWords(does, file.farewells, file.well_wishes)
