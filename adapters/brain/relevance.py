"""Measure how many words of a message a text covers, to distinguish answers from near misses. The
comparison uses words instead of embeddings because a text that never mentions a thing cannot answer
a question about that thing."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final, Self

import numpy as np

from adapters.brain.features import Floats, fold, words
from adapters.brain.stem_index import Places, StemIndex, counted
from domain.agent.size_limits import READ_CHARS
from domain.core.effort import spend
from domain.core.lexicon import LexiconFile, lexicon
from domain.core.recent import Recent

EXCERPT_LIMIT: Final = 900

# Only so many characters of a word are compared, so that the cache stays small.
_LONGEST_WORD: Final = 40
_TITLE_WEIGHT: Final = 1.0
_BODY_WEIGHT: Final = 0.85
_QUESTION_SHARE: Final = 0.75
# Without the lookbehind, the pattern would rescan a long run of punctuation from each character.
_SENTENCE_END: Final = re.compile(r"(?<![.!?…])[.!?…]+(?=\s|$)|\n+")
# Matches a question about how a thing works. "It does not work" is a different topic.
_HOW_IT_WORKS: Final = re.compile(
    r"\bcomment (?:ça |cela )?(?:marche|fonctionne)(?:nt)?\b()"
    r"|\bhow do(?:es)? ((?:[\w'’-]+ ){1,6}?)works?\b",
    re.IGNORECASE,
)
# Suffixes of singular words, longest first.
_SUFFIXES: Final = (
    *("ement", "ation", "aison", "able", "ment", "euse", "ing", "ion", "age", "eur", "eux"),
    *("ait", "ent", "ant", "ive", "ez", "er", "ir", "ed", "ee", "if", "ly", "re", "e"),
)


class _File(LexiconFile):
    """The content of the word list file, words separated by spaces. `synonyms` maps a stem to the
    words that it replaces."""

    stop_words: dict[str, str]
    trouble: str
    anything: str
    assent: str
    units_of_time: str
    duration: str
    synonyms: dict[str, str]


@dataclass(frozen=True, slots=True)
class _Lexicon:
    stop_words: frozenset[str]
    trouble: frozenset[str]
    anything: frozenset[str]
    assent: frozenset[str]
    units_of_time: frozenset[str]
    duration: str
    synonyms: Mapping[str, str]


@cache
def _lexicon() -> _Lexicon:
    file = lexicon(__file__, _File)
    return _Lexicon(
        stop_words=frozenset(" ".join(file.stop_words.values()).split()),
        trouble=frozenset(file.trouble.split()),
        anything=frozenset(file.anything.split()),
        assent=frozenset(file.assent.split()),
        units_of_time=frozenset(file.units_of_time.split()),
        duration=file.duration,
        synonyms={word: stem for stem, words in file.synonyms.items() for word in words.split()},
    )


@dataclass(frozen=True, slots=True)
class Question:
    """The stems of a message: of all content words (`stems`), and of its questions (`asked`).

    `is_vague` is true for a message with a single word, no content words ("and the two others?"),
    or only a general complaint ("a problem with my order").
    """

    stems: frozenset[str]
    asked: frozenset[str]
    is_vague: bool


def read_question(text: str) -> Question:
    """Return the stems of a message, and separately the stems of its sentences that end with a
    question mark. The questions of a long message count even if its text is not read so far."""
    text = _HOW_IT_WORKS.sub(r" \2 ", text)
    asked = [sentence for sentence in _sentences(text) if sentence.rstrip().endswith("?")]
    of_questions = stems(" ".join(asked))
    return Question(stems=stems(text) | of_questions, asked=of_questions, is_vague=_is_vague(text))


def own_words(text: str) -> frozenset[str]:
    """Return the content words of the message, without words of agreement. "Yes, and the other one"
    contains no content words."""
    return frozenset(_content_words(text)) - _lexicon().assent


def stems(text: str) -> frozenset[str]:
    """Return the stems of the text's content words. Stop words, bare numbers and words of fewer
    than 3 letters are excluded."""
    return frozenset(_stem(word) for word in _content_words(text))


def body_stems(body: str) -> frozenset[str]:
    """Return the stems of a text's body. If the body mentions days or years, add the stem for
    durations."""
    known = _lexicon()
    times = not known.units_of_time.isdisjoint(words(fold(body)))
    return stems(body) | {_stem(known.duration)} if times else stems(body)


def content_stem(word: str) -> str | None:
    """Return the stem of a folded word, or None if the word is not a content word."""
    return _stem(word) if _has_content(word) else None


def _content_words(text: str) -> list[str]:
    return [word for word in words(fold(text)) if _has_content(word)]


def _has_content(word: str) -> bool:
    return len(word) >= 3 and word[0].isalpha() and word not in _lexicon().stop_words


def _is_vague(text: str) -> bool:
    said, known = set(_content_words(text)), _lexicon()
    if len(words(fold(text))) < 2 or said <= known.assent:
        return True
    return bool(said & known.trouble and said <= known.trouble | known.anything)


def names_anything(named: Set[str]) -> bool:
    """Return True if these words name only a generic thing, such as "order", "parcel", "product" or
    "something"."""
    return named <= _lexicon().anything


class Coverage:
    """An index that measures how much of a message each of many texts covers."""

    def __init__(self) -> None:
        self._titles, self._bodies = StemIndex(), StemIndex()

    def add(self, title: str, body: str) -> None:
        """Add a text to the index."""
        self._titles.add(stems(title))
        self._bodies.add(body_stems(body))

    @classmethod
    def of(cls, texts: Sequence[tuple[str, str]]) -> Self:
        """Return the coverage index of the texts, each given as a title and a body."""
        coverage = cls()
        for title, body in texts:
            coverage.add(title, body)
        return coverage

    def shares(self, question: Question) -> Floats:
        """Return the fraction of the message that each text covers, from 0 to 1. Words in the title
        weigh most.

        Words in questions weigh more, unless there is only one: "Which bulb?" alone does not name
        the lamp. If only one word matches, the fraction is 0, unless the word is the message's only
        word and is in the title. The cost depends only on shared words.
        """
        size = self._titles.size
        titled = {stem: self._titles.places(stem) for stem in question.stems}
        # A word in the title is not counted again in the body.
        bodied = {
            stem: _without(self._bodies.places(stem), places) for stem, places in titled.items()
        }
        in_title = counted(list(titled.values()), size)
        in_body = counted(list(bodied.values()), size)
        matched = in_title + in_body
        speaks = matched > 1
        if len(question.stems) == 1:
            speaks |= in_title > 0
        whole = _share(in_title, in_body, len(question.stems))
        if len(question.asked) < 2:
            return np.where(speaks, whole, 0.0)
        asked = _share(
            counted([titled[stem] for stem in question.asked], size),
            counted([bodied[stem] for stem in question.asked], size),
            len(question.asked),
        )
        both = _QUESTION_SHARE * asked + (1 - _QUESTION_SHARE) * whole
        return np.where(speaks, both, 0.0)


def _without(places: Places, others: Places) -> Places:
    if not places.size or not others.size:
        return places
    return np.setdiff1d(places, others, assume_unique=True)


def _share(in_title: Places, in_body: Places, wanted: int) -> Floats:
    found: Floats = _TITLE_WEIGHT * in_title + _BODY_WEIGHT * in_body
    return found / max(wanted, 1)


@dataclass(frozen=True, slots=True)
class _Cut:
    """A body that is split into sentences. `index` are the stems in each sentence."""

    sentences: tuple[str, ...]
    index: StemIndex


# A character takes up to 100 bytes.
_CUTS: Final[Recent[str, _Cut]] = Recent(limit=200_000)


def excerpt(question: Question, body: str) -> str:
    """Return the consecutive sentences of the body that best cover the question, at most
    `EXCERPT_LIMIT` characters. A single longer sentence is truncated between words, with an
    ellipsis."""
    body = body[:READ_CHARS].strip()
    if len(body) <= EXCERPT_LIMIT:
        return body
    cut = _CUTS.get(body) or _CUTS.keep(body, _cut_up(body), len(body))
    matched: list[list[str]] = [[] for _ in cut.sentences]
    for stem in question.stems:
        for place in cut.index.places(stem):
            matched[place].append(stem)
    start, end = _richest(cut.sentences, matched)
    chosen = "".join(cut.sentences[start:end]) or _shortened(cut.sentences[start])
    return chosen.strip()


def _cut_up(body: str) -> _Cut:
    sentences = tuple(_sentences(body))
    return _Cut(sentences, StemIndex([stems(sentence) for sentence in sentences]))


def _richest(sentences: Sequence[str], matched: Sequence[Sequence[str]]) -> tuple[int, int]:
    """Return the range of sentences that fits into an excerpt and contains the most distinct stems
    from `matched`.

    The range is empty if a sentence is too long. Takes linear time.
    """
    best, most = (0, 0), -1
    held: Counter[str] = Counter()
    length, end, counted_to = 0, 0, 0
    spend(len(sentences))
    for start, sentence in enumerate(sentences):
        if end < start:
            length, end = 0, start
        while end < len(sentences) and length + len(sentences[end].rstrip()) <= EXCERPT_LIMIT:
            length += len(sentences[end])
            end += 1
        while counted_to < max(end, start + 1):
            held.update(matched[counted_to])
            counted_to += 1
        if len(held) > most:
            best, most = (start, end), len(held)
        for stem in matched[start]:
            held[stem] -= 1
            if not held[stem]:
                del held[stem]
        if end > start:
            length -= len(sentence)
    return best


def _sentences(text: str) -> list[str]:
    """Split the text after each sentence end and line end, and return the parts. Concatenated, the
    parts are equal to the text."""
    spend(len(text))
    ends = [match.end() for match in _SENTENCE_END.finditer(text)]
    starts = [0, *ends]
    parts = [text[start:end] for start, end in zip(starts, [*ends, len(text)], strict=True)]
    return [part for part in parts if part]


def _shortened(sentence: str) -> str:
    return sentence.strip()[: EXCERPT_LIMIT - 1].rsplit(maxsplit=1)[0] + "…"


def _stem(word: str) -> str:
    return _cached_stem(word[:_LONGEST_WORD])


@lru_cache(maxsize=20_000)
def _cached_stem(word: str) -> str:
    synonyms = _lexicon().synonyms
    word = synonyms.get(word, word)
    if len(word) > 3 and word[-1] in "sx" and word[-2] != "s":
        word = word[:-1]
        word = synonyms.get(word, word)
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            word = word.removesuffix(suffix)
            break
    # In "shipped" and "shipping", the doubled letter is part of the suffix.
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word
