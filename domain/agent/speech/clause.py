"""Split a sentence into clauses: words in one language, each with its grammatical role."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from domain.agent.brain import Language
from domain.agent.plan import ActionKind
from domain.agent.speech.utterance import Mark, Sentence, Utterance, Word
from domain.agent.speech.vocabulary import (
    ACTION_FORMS,
    Meaning,
    SpeechRole,
    SpeechWords,
    vocabulary,
)

SENTENCE_CLAUSES: Final = 100
_JOINTS: Final = {
    SpeechRole.ALSO_KIND: "and",
    SpeechRole.OR: "or",
    SpeechRole.BUT: "but",
    SpeechRole.SO: "so",
    SpeechRole.BECAUSE: "because",
    SpeechRole.THAT: "that",
}
# After a word with one of these roles, "so" or "donc" does not end the clause: "Je vous demande
# donc de".
_UNFINISHED: Final = frozenset("iuwWmlVg13K")
_NUMBER_WORDS: Final = frozenset({"no", "n", "nr"})
# After these words, a colon does not end the clause: "Order no: 2040".
_LABELS: Final = frozenset({"order", "commande", "purchase", "cde", "cmd", "ref", "reference"})
_MARKS: Final = {
    Mark.START: "start",
    Mark.COMMA: "comma",
    Mark.COLON: "colon",
    Mark.PAUSE: "pause",
    Mark.LINE: "line",
}


@dataclass(frozen=True, slots=True)
class Constituent:
    """A word or set phrase with its grammatical role. `start`, `end`: its position in the text."""

    said: str
    meaning: Meaning
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause in a sentence. `joint` is the link to the previous clause: a punctuation mark, a
    conjunction such as `and`, or `start`. `roles` has one character for each part."""

    parts: tuple[Constituent, ...]
    joint: str
    roles: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "roles", "".join(part.meaning.role for part in self.parts))

    @property
    def kinds(self) -> tuple[ActionKind, ...]:
        """Return the distinct actions that the clause names, in order. A word with the role WEAK
        alone names no action."""
        found = (
            part.meaning.kind
            for part in self.parts
            if part.meaning.kind and part.meaning.role is not SpeechRole.WEAK
        )
        return tuple(dict.fromkeys(found))

    @property
    def numbers(self) -> frozenset[str]:
        return frozenset(part.said for part in self.parts if part.meaning.role is SpeechRole.NUMBER)

    @property
    def names_action(self) -> bool:
        return any(role in ACTION_FORMS and role != SpeechRole.WEAK for role in self.roles)


@dataclass(frozen=True, slots=True)
class SpokenSentence:
    clauses: tuple[Clause, ...]
    asks: bool
    introduces: bool


def sentences(said: Utterance) -> Iterator[SpokenSentence]:
    """Yield each sentence, parsed with the French or the English vocabulary, whichever contains
    more of its words.

    If both contain equally many, the vocabulary that contains more words of the whole text is used.
    """
    french, english = vocabulary("fr"), vocabulary("en")
    of_all = [word for sentence in said.sentences for word in _words_of(sentence)]
    mainly = english if _known(english, of_all) > _known(french, of_all) else french
    for sentence in said.sentences:
        words = _words_of(sentence)
        in_french, in_english = _known(french, words), _known(english, words)
        spoken = mainly
        if in_french != in_english:
            spoken = french if in_french > in_english else english
        # Include one clause more than the limit, so that the caller detects a sentence with too
        # many clauses.
        clauses = tuple(islice(_clauses(sentence, spoken), SENTENCE_CLAUSES + 1))
        if clauses:
            yield SpokenSentence(clauses, sentence.asks, sentence.introduces)


def parts_of(words: tuple[Word, ...], known: SpeechWords) -> list[Constituent]:
    """Return the words as constituents. At each position, the longest known phrase is preferred."""
    parts: list[Constituent] = []
    at = 0
    while at < len(words):
        part, taken = _part_at(words, at, known)
        parts.append(part)
        at += taken
    return parts


def language_of(text: str, said: Utterance) -> Language | None:
    """Return the language whose vocabulary contains the most words of the text, or None if there
    are no words."""
    words = [word for sentence in said.sentences for word in _words_of(sentence)]
    if not words or not text.strip():
        return None
    french, english = _known(vocabulary("fr"), words), _known(vocabulary("en"), words)
    return "fr" if french >= english else "en"


def _part_at(words: tuple[Word, ...], at: int, known: SpeechWords) -> tuple[Constituent, int]:
    word = words[at]
    if word.shape != "word":
        return Constituent(word.folded, Meaning(_of_shape(word)), word.start, word.end), 1
    if longest := known.starts.get(word.folded):
        for length in range(min(longest, len(words) - at), 1, -1):
            phrase = " ".join(part.folded for part in words[at : at + length])
            if meaning := known.phrases.get(phrase):
                end = words[at + length - 1].end
                return Constituent(phrase, meaning, word.start, end), length
    meaning = known.of(word.folded)
    follows = words[at + 1].shape if at + 1 < len(words) else ""
    ends_a_label = at + 1 == len(words) > 1 and words[at - 1].folded in _LABELS
    if word.folded in _NUMBER_WORDS and (follows == "number" or ends_a_label):
        meaning = Meaning(SpeechRole.ORDER)
    return Constituent(word.folded, meaning, word.start, word.end), 1


def _of_shape(word: Word) -> SpeechRole:
    if word.shape == "percent":
        return SpeechRole.FULL if word.folded.startswith("100") else SpeechRole.PART
    if word.shape == "sum":
        return SpeechRole.SUM
    return SpeechRole.NUMBER if len(word.folded) >= 3 else SpeechRole.COUNT


def _clauses(sentence: Sentence, known: SpeechWords) -> Iterator[Clause]:
    for run in sentence.runs:
        joint = _MARKS[run.before]
        held: list[Constituent] = []
        for part in parts_of(run.words, known):
            parts = _JOINTS.get(part.meaning.role)
            if part.meaning.role is SpeechRole.SO and held and held[-1].meaning.role in _UNFINISHED:
                held.append(
                    Constituent(part.said, Meaning(SpeechRole.FILLER), part.start, part.end)
                )
                continue
            if part.meaning.role is SpeechRole.INSTEAD and held:
                yield Clause(tuple(held), joint)
                held, joint = [], "instead"
            if parts is None:
                held.append(part)
                continue
            if held:
                yield Clause(tuple(held), joint)
                held = []
                joint = parts
            elif joint != "colon":
                joint = parts
        if held:
            yield Clause(tuple(held), joint)


def _words_of(sentence: Sentence) -> list[str]:
    return [word.folded for run in sentence.runs for word in run.words if word.shape == "word"]


def _known(known: SpeechWords, words: list[str]) -> int:
    return sum(word in known.words for word in words)
