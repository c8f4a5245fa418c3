"""How much of a message a text covers, word by word: what tells an answer from a near miss.

Lexical on purpose: a word that the text lacks is a thing that the text does not speak of.
"""

import re
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from adapters.brain.features import fold, words
from domain.core.lexicon import LexiconFile, lexicon

EXCERPT_LIMIT: Final = 900

_TITLE_WEIGHT: Final = 1.0
_BODY_WEIGHT: Final = 0.85
_QUESTION_SHARE: Final = 0.75
_BODY_READ: Final = 20_000
_SENTENCE_END: Final = re.compile(r"[.!?…]+(?=\s|$)|\n+")
# To ask how something works is to ask about it; that it does not work is another matter.
_HOW_IT_WORKS: Final = re.compile(
    r"\bcomment (?:ça |cela )?(?:marche|fonctionne)(?:nt)?\b()"
    r"|\bhow do(?:es)? ((?:[\w'’-]+ ){1,6}?)works?\b",
    re.IGNORECASE,
)
# Of words in the singular, the longest first.
_SUFFIXES: Final = (
    *("ement", "ation", "aison", "able", "ment", "euse", "ing", "ion", "age", "eur", "eux"),
    *("ait", "ent", "ant", "ive", "ez", "er", "ir", "ed", "ee", "if", "ly", "re", "e"),
)


class _File(LexiconFile):
    """Words, parted by spaces. `synonyms`: by the stem that stands for them."""

    stop_words: dict[str, str]
    trouble: str
    anything: str
    assent: str
    foreign_words: dict[str, str]
    units_of_time: str
    duration: str
    synonyms: dict[str, str]


@dataclass(frozen=True, slots=True)
class _Lexicon:
    stop_words: frozenset[str]
    trouble: frozenset[str]
    anything: frozenset[str]
    assent: frozenset[str]
    foreign: frozenset[str]
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
        foreign=frozenset(" ".join(file.foreign_words.values()).split()),
        units_of_time=frozenset(file.units_of_time.split()),
        duration=file.duration,
        synonyms={word: stem for stem, words in file.synonyms.items() for word in words.split()},
    )


@dataclass(frozen=True, slots=True)
class Question:
    """A message as relevance sees it: the stems of all its content words, and of what it asks.

    `is_vague`: a lone word, none of its own ("and the two others?"), or no more than that something
    is wrong ("a problem with my order").
    """

    stems: frozenset[str]
    asked: frozenset[str]
    is_vague: bool


def is_foreign(text: str) -> bool:
    """Whether the text is evidently in a language other than French and English."""
    found = words(fold(text))
    known = _lexicon()
    foreign = sum(word in known.foreign for word in found)
    return foreign >= 2 and foreign > sum(word in known.stop_words for word in found)


def read_question(text: str) -> Question:
    text = _HOW_IT_WORKS.sub(r" \2 ", text)
    asked = [sentence for sentence in _sentences(text) if sentence.rstrip().endswith("?")]
    return Question(stems=stems(text), asked=stems(" ".join(asked)), is_vague=_is_vague(text))


def own_words(text: str) -> frozenset[str]:
    """The words by which a message says something for itself: "yes, and the other one" has none."""
    return frozenset(_content_words(text)) - _lexicon().assent


def stems(text: str) -> frozenset[str]:
    """The stems of the content words: no stop words, no bare numbers, nothing under 3 letters."""
    return frozenset(_stem(word) for word in _content_words(text))


def _told(body: str) -> frozenset[str]:
    """The stems of a body; one that names days or years answers a question for the time."""
    known = _lexicon()
    times = not known.units_of_time.isdisjoint(words(fold(body)))
    return stems(body) | {_stem(known.duration)} if times else stems(body)


def _content_words(text: str) -> list[str]:
    stop_words = _lexicon().stop_words
    return [
        word
        for word in words(fold(text))
        if len(word) >= 3 and word[0].isalpha() and word not in stop_words
    ]


def _is_vague(text: str) -> bool:
    said, known = set(_content_words(text)), _lexicon()
    if len(words(fold(text))) < 2 or said <= known.assent:
        return True
    return bool(said & known.trouble and said <= known.trouble | known.anything)


def names_anything(named: Set[str]) -> bool:
    """Whether these words name no more than an order, a parcel, a product or something."""
    return named <= _lexicon().anything


def coverage(question: Question, title: str, body: str) -> float:
    """The share of the message that the text speaks of, 0 to 1; a word in the title counts most.

    What is asked counts for more than what is told around it, but a single word asked says too
    little by itself ("which bulb?" of which lamp). 0 where a single word is all that agrees,
    unless the message has no other and it is in the title.
    """
    in_title, in_body = stems(title), _told(body)
    whole = _share(question.stems, in_title, in_body)
    matched = _matched(question.stems, in_title | in_body)
    if not matched or (len(matched) == 1 and not _only_word(question, in_title)):
        return 0.0
    if len(question.asked) < 2:
        return whole
    asked = _share(question.asked, in_title, in_body)
    return _QUESTION_SHARE * asked + (1 - _QUESTION_SHARE) * whole


def excerpt(question: Question, body: str) -> str:
    """The whole sentences of the body, at most `EXCERPT_LIMIT` long, that cover the most.

    A single longer sentence is cut between words, with an ellipsis.
    """
    body = body[:_BODY_READ].strip()
    if len(body) <= EXCERPT_LIMIT:
        return body
    sentences = _sentences(body)
    matched = [_matched(question.stems, stems(sentence)) for sentence in sentences]
    best, most = "", -1
    for start in range(len(sentences)):
        end, length = start, 0
        while end < len(sentences) and length + len(sentences[end].rstrip()) <= EXCERPT_LIMIT:
            length += len(sentences[end])
            end += 1
        found = len(frozenset().union(*matched[start : max(end, start + 1)]))
        if found > most:
            most = found
            best = "".join(sentences[start:end]) or _cut(sentences[start])
    return best.strip()


def _sentences(text: str) -> list[str]:
    """The text cut after each sentence end and line; joined again, they are the text."""
    ends = [match.end() for match in _SENTENCE_END.finditer(text)]
    starts = [0, *ends]
    parts = [text[start:end] for start, end in zip(starts, [*ends, len(text)], strict=True)]
    return [part for part in parts if part]


def _cut(sentence: str) -> str:
    return sentence.strip()[: EXCERPT_LIMIT - 1].rsplit(maxsplit=1)[0] + "…"


@lru_cache(maxsize=20_000)
def _stem(word: str) -> str:
    synonyms = _lexicon().synonyms
    word = synonyms.get(word, word)
    if len(word) > 3 and word[-1] in "sx" and word[-2] != "s":
        word = word[:-1]
        word = synonyms.get(word, word)
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            word = word.removesuffix(suffix)
            break
    # shipped, shipping: the doubled letter belongs to the ending.
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word


def _alike(one: str, other: str) -> bool:
    shorter, longer = sorted((one, other), key=len)
    return one == other or (
        len(shorter) >= 5 and len(longer) - len(shorter) <= 4 and longer.startswith(shorter)
    )


def _matched(wanted: Set[str], present: Iterable[str]) -> frozenset[str]:
    present = frozenset(present)
    return frozenset(
        word for word in wanted if word in present or any(_alike(word, other) for other in present)
    )


def _share(wanted: Set[str], in_title: Set[str], in_body: Set[str]) -> float:
    if not wanted:
        return 0.0
    titled = _matched(wanted, in_title)
    told = _matched(wanted, in_body) - titled
    return (_TITLE_WEIGHT * len(titled) + _BODY_WEIGHT * len(told)) / len(wanted)


def _only_word(question: Question, in_title: Set[str]) -> bool:
    return len(question.stems) == 1 and bool(_matched(question.stems, in_title))
