"""The frames of sensitive topics.

A phrase is a few consecutive words. A concept is a set of phrases with the same meaning. A frame is
a set of concepts that indicate a sensitive topic if they occur close together.
`sensitive_frames.yaml` documents the syntax.
"""

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from domain.agent.phrase_tree import PhraseTree
from domain.agent.safety.sensitive import SensitiveMatter
from domain.agent.safety.sensitive_words import (
    ELIDED,
    SENTENCE_BREAK,
    SensitiveVocabulary,
    bare,
    shortened,
    squeezed,
)
from domain.core.effort import spend
from domain.core.lexicon import BrokenLexicon, LexiconFile, lexicon

_NEAR: Final = 8
_FRAME: Final = re.compile(
    r"(?P<parts>[\w|]+(?: [>&] [\w|]+)*)(?: ~(?P<near>\d+))?(?P<unless>(?: !!?\w+)*)"
)
_SET: Final = re.compile(r"\{(\w+)\}")

# The position of a phrase: the positions of its first and last word.
Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class SpokenFrame:
    """A frame of a sensitive topic.

    - `parts`: sets of concepts. One concept from each set must occur, in order if `ordered`.
    - `near`: the maximum number of words between two parts.
    - `not_near`: concepts that make the frame harmless if they occur close to it.
    - `nowhere`: concepts that make the frame harmless anywhere in the text.
    """

    matter: SensitiveMatter
    parts: tuple[tuple[str, ...], ...]
    ordered: bool
    near: int
    not_near: tuple[str, ...]
    nowhere: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Frames:
    vocabulary: SensitiveVocabulary
    phrases: PhraseTree
    frames: tuple[SpokenFrame, ...]

    def matter(self, text: str) -> SensitiveMatter | None:
        """Return the sensitive topic of the first frame that the text matches, in file order, or
        None."""
        said = self.said(self.vocabulary.words(text))
        for frame in self.frames:
            if any(_stands(frame, places, said) for places in _chains(frame, said)):
                return frame.matter
        return None

    def said(self, words: Sequence[str]) -> dict[str, list[Place]]:
        """Return the concepts that the words express, each with its positions in ascending
        order."""
        said: dict[str, list[Place]] = {}
        positions = _positions(words)
        spend(len(words))
        for index, start in enumerate(positions):
            for concept, end in self.phrases.found_at(words, index):
                said.setdefault(concept, []).append((start, positions[end]))
        return said


def _positions(words: Sequence[str]) -> list[int]:
    positions, at = [], 0
    for word in words:
        at += SENTENCE_BREAK if word == "." else 1
        positions.append(at)
    return positions


def _chains(frame: SpokenFrame, said: Mapping[str, list[Place]]) -> list[Place]:
    """Return the spans, from first to last word, within which all parts of a frame are close
    together."""
    where = [_merged(part, said) for part in frame.parts]
    if not all(where):
        return []
    if len(where) == 1:
        return where[0]
    orders = [where] if frame.ordered else _orders(where)
    return [place for order in orders for place in _chained(order, frame.near)]


def _merged(part: tuple[str, ...], said: Mapping[str, list[Place]]) -> list[Place]:
    if len(part) == 1:
        return said.get(part[0], [])
    return sorted(place for concept in part for place in said.get(concept, ()))


def _orders(where: list[list[Place]]) -> list[list[list[Place]]]:
    """Return all permutations of the parts of a frame: at most six because a frame has at most
    three parts."""
    if len(where) == 1:
        return [where]
    return [
        [first, *rest]
        for index, first in enumerate(where)
        for rest in _orders(where[:index] + where[index + 1 :])
    ]


def _chained(order: list[list[Place]], near: int) -> list[Place]:
    chains = sorted(order[0], key=lambda place: place[1])
    for part in order[1:]:
        ends = [end for _, end in chains]
        joined = []
        for start, end in part:
            before = bisect_left(ends, start) - 1
            if before >= 0 and start - ends[before] - 1 <= near:
                joined.append((chains[before][0], end))
        chains = sorted(joined, key=lambda place: place[1])
    return chains


def _stands(frame: SpokenFrame, chain: Place, said: Mapping[str, list[Place]]) -> bool:
    start, end = chain
    return not any(concept in said for concept in frame.nowhere) and not any(
        last >= start - _NEAR and first <= end + _NEAR
        for concept in frame.not_near
        for first, last in said.get(concept, ())
    )


class _File(LexiconFile):
    slang: dict[str, str]
    dropped: str
    sets: dict[str, str]
    concepts: dict[str, str]
    frames: dict[SensitiveMatter, tuple[str, ...]]
    mended: str
    correct: str


@cache
def frames() -> Frames:
    """Return the frames from `sensitive_frames.yaml`. Raises BrokenLexicon if the file is
    invalid."""
    file = lexicon(__file__, _File)
    slang = {short: tuple(bare(meant).split()) for short, meant in file.slang.items()}
    dropped = frozenset(file.dropped.split())
    reader = _Reader(file.sets, dropped, slang)
    phrases = PhraseTree()
    for concept, texts in file.concepts.items():
        for text in filter(None, map(str.strip, texts.split(","))):
            for words in reader.phrases(text):
                phrases.add(concept, words)
    mended: dict[str, tuple[str, ...]] = {}
    for word in map(squeezed, file.mended.split()):
        for form in (word, *shortened(word)):
            mended[form] = (*mended.get(form, ()), word)
    known = frozenset(squeezed(word) for word in (*file.correct.split(), *file.mended.split()))
    return Frames(
        vocabulary=SensitiveVocabulary(slang=slang, dropped=dropped, known=known, mended=mended),
        phrases=phrases,
        frames=tuple(
            _frame(matter, text, file.concepts)
            for matter, texts in file.frames.items()
            for text in texts
        ),
    )


def _frame(matter: SensitiveMatter, text: str, concepts: Mapping[str, object]) -> SpokenFrame:
    read = _FRAME.fullmatch(text)
    if read is None or (" > " in text and " & " in text):
        raise BrokenLexicon(f"no frame: {text}")
    parts = tuple(tuple(part.split("|")) for part in re.split(" [>&] ", read["parts"]))
    unless = read["unless"].split()
    frame = SpokenFrame(
        matter=matter,
        parts=parts,
        ordered=" & " not in text,
        near=int(read["near"] or _NEAR),
        not_near=tuple(name[1:] for name in unless if not name.startswith("!!")),
        nowhere=tuple(name[2:] for name in unless if name.startswith("!!")),
    )
    used = {name for part in parts for name in part} | {*frame.not_near, *frame.nowhere}
    if missing := used - concepts.keys():
        raise BrokenLexicon(f"no concept {sorted(missing)}: {text}")
    return frame


@dataclass(frozen=True, slots=True)
class _Reader:
    """A parser of the phrases in the YAML file. A parsed phrase lists the alternative forms of each
    word."""

    sets: Mapping[str, str]
    dropped: frozenset[str]
    slang: Mapping[str, tuple[str, ...]]

    def phrases(self, text: str) -> list[list[frozenset[str]]]:
        """Return the phrases of an entry, one for each combination of its optional words. Raises
        BrokenLexicon if the entry is invalid."""
        read: list[list[frozenset[str]]] = [[]]
        for word in self._elements(text):
            meant = {ELIDED.get(form, form) for form in word.rstrip("?").split("|")}
            if meant <= self.dropped:
                continue
            forms = frozenset(map(self._form, meant))
            longer = [[*phrase, forms] for phrase in read]
            read = read + longer if word.endswith("?") else longer
        if not all(read) or any("_" in phrase[0] for phrase in read):
            raise BrokenLexicon(f"no phrase: {text}")
        return read

    def _elements(self, text: str) -> list[str]:
        try:
            whole = _SET.sub(lambda match: "|".join(self.sets[match[1]].split()), text)
        except KeyError as error:
            raise BrokenLexicon(f"no set {error}: {text}") from None
        words = bare(whole).split()
        return [meant for word in words for meant in self.slang.get(word, (word,))]

    @staticmethod
    def _form(form: str) -> str:
        return form if form in ("_", "<n>", "<age>") else squeezed(form)
