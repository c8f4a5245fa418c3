"""Cluster questions by topic, based on their words.

A question is a vector of stems and concepts, weighted by rarity. Clusters are merged bottom-up by
average linkage, with nearest-neighbor chains. The result is deterministic. Memory and time are
quadratic in at most `MAX_QUESTIONS` questions.
"""

import asyncio
import re
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from adapters.brain.concepts import concepts
from adapters.brain.features import fold
from adapters.brain.relevance import Coverage, content_stem, read_question
from domain.agent.brain import Passage
from domain.analytics.gaps import MAX_QUESTIONS, QUESTION_CHARS, QuestionCluster
from domain.core.effort import budget, spend
from domain.core.errors import CallerBusy
from domain.intake.mail_text import latest_reply

Likeness = NDArray[np.float32]
Vectors = NDArray[np.float32]

# Clusters with a lower mean similarity are not merged, because they are about different topics.
_ALIKE: Final = 0.14
# The weight of a word's concept, relative to the weight of the word itself.
_OF_MEANING: Final = 1.0
# Maximum number of different words that are read from a question.
_WORDS: Final = 24
# Terms that occur in at most this many questions are rare. The similarity matrix is updated for
# each rare term separately. The other terms are added in one matrix product.
_RARE: Final = 32
# The agent would answer a question from a passage that covers at least this fraction of its words.
_COVERED: Final = 0.7
_LABEL: Final = 4
_WORD: Final = re.compile(r"[^\W\d_]+")
# The step budget of one call. It is sufficient for `MAX_QUESTIONS` questions of `QUESTION_CHARS`
# characters in the worst case.
_STEPS: Final = 60_000_000
# Maximum number of running and waiting calls. With this number, the last call waits for about ten
# seconds.
_AT_MOST: Final = 8


@dataclass(frozen=True, slots=True)
class _Read:
    """The terms of a question. `words`: its words, keyed by stem."""

    terms: frozenset[str]
    words: Mapping[str, str]


class QuestionReader:
    """A `ReadsQuestions` that works in a thread, one call at a time. `at_most` limits the running
    and waiting calls."""

    def __init__(self, *, at_most: int = _AT_MOST) -> None:
        self._turn = asyncio.Lock()
        self._at_most = at_most
        self._present = 0

    async def clusters(self, questions: Sequence[str]) -> tuple[QuestionCluster, ...]:
        async with self._one_at_a_time():
            return await asyncio.to_thread(_bounded_clusters, questions)

    async def answering(
        self, asked: Sequence[tuple[str, Sequence[Passage]]]
    ) -> tuple[Passage | None, ...]:
        async with self._one_at_a_time():
            return await asyncio.to_thread(_bounded_answering, asked)

    @asynccontextmanager
    async def _one_at_a_time(self) -> AsyncIterator[None]:
        """Wait until other calls have finished, then run the block. Raises CallerBusy if too many
        calls are waiting."""
        if self._present >= self._at_most:
            raise CallerBusy
        self._present += 1
        try:
            async with self._turn:
                yield
        finally:
            self._present -= 1


def clusters_of(questions: Sequence[str]) -> tuple[QuestionCluster, ...]:
    """Return the clusters of the questions. Each question is in exactly one cluster. Raises
    OverBudget."""
    read = [_read(question) for question in questions[:MAX_QUESTIONS]]
    likeness = _likeness(read)
    return tuple(_described(places, read, likeness) for places in _joined(likeness))


def _bounded_clusters(questions: Sequence[str]) -> tuple[QuestionCluster, ...]:
    with budget(_STEPS):
        return clusters_of(questions)


def _bounded_answering(
    asked: Sequence[tuple[str, Sequence[Passage]]],
) -> tuple[Passage | None, ...]:
    with budget(_STEPS):
        return tuple(_answering(question, passages) for question, passages in asked)


def _answering(question: str, passages: Sequence[Passage]) -> Passage | None:
    if not passages:
        return None
    coverage = Coverage.of([(passage.title, passage.body) for passage in passages])
    shares = coverage.shares(read_question(question[:QUESTION_CHARS]))
    best = int(shares.argmax())
    return passages[best] if shares[best] >= _COVERED else None


def _read(question: str) -> _Read:
    text = latest_reply(question[:QUESTION_CHARS])
    spend(len(text))
    found: dict[str, str] = {}
    meanings: set[str] = set()
    for word in _WORD.findall(text.lower())[: 2 * _WORDS]:
        folded = fold(word)
        stem = content_stem(folded)
        if stem is None or len(found) >= _WORDS:
            continue
        found.setdefault(stem, word)
        meanings.update(f"={concept}" for concept in concepts(folded))
    return _Read(frozenset(found) | meanings, found)


def _likeness(read: Sequence[_Read]) -> Likeness:
    """Return the cosine similarity of each pair of question vectors."""
    size = len(read)
    places: dict[str, list[int]] = {}
    for place, one in enumerate(read):
        for term in sorted(one.terms):
            places.setdefault(term, []).append(place)
    likeness = np.zeros((size, size), dtype=np.float32)
    lengths = np.zeros(size, dtype=np.float32)
    common: list[tuple[list[int], float]] = []
    for term, found in places.items():
        weight = _weight(term, len(found), size)
        lengths[found] += weight
        if len(found) > _RARE:
            common.append((found, weight))
        elif len(found) > 1:
            spend(len(found) ** 2)
            likeness[np.ix_(found, found)] += weight
    likeness += _of_common(common, size)
    lengths = np.sqrt(np.maximum(lengths, 1e-9))
    likeness /= np.outer(lengths, lengths)
    return likeness


def _weight(term: str, number: int, size: int) -> float:
    """Return the square of a term's value in a question vector."""
    rarity = float(np.log(1 + size / number))
    return (rarity * (_OF_MEANING if term.startswith("=") else 1)) ** 2


def _of_common(common: Sequence[tuple[list[int], float]], size: int) -> Likeness:
    vectors: Vectors = np.zeros((size, len(common)), dtype=np.float32)
    for column, (found, weight) in enumerate(common):
        vectors[found, column] = np.sqrt(weight)
    return vectors @ vectors.T


def _joined(likeness: Likeness) -> list[list[int]]:
    """Return the clusters produced by average linkage, as lists of positions.

    Two clusters that are each other's nearest neighbor remain so after other merges. They can
    therefore be merged immediately.
    """
    size = len(likeness)
    near = likeness.copy()
    np.fill_diagonal(near, -1)
    members = {place: [place] for place in range(size)}
    done: list[list[int]] = []
    chain: list[int] = []
    while members:
        if not chain:
            chain.append(min(members))
        last = chain[-1]
        spend(size)
        nearest = int(near[last].argmax())
        if len(chain) > 1 and near[last, chain[-2]] >= near[last, nearest]:
            nearest = chain[-2]
        if near[last, nearest] < _ALIKE:
            # No other cluster is similar enough to this one, and none will become similar enough.
            done.append(members.pop(last))
            near[last, :] = near[:, last] = -1
            chain.pop()
        elif len(chain) > 1 and nearest == chain[-2]:
            chain = chain[:-2]
            _join(near, members, nearest, last)
        else:
            chain.append(nearest)
    return sorted(done)


def _join(near: Likeness, members: dict[int, list[int]], kept: int, gone: int) -> None:
    one, other = len(members[kept]), len(members[gone])
    mean = (one * near[kept] + other * near[gone]) / (one + other)
    # Exclude the finished clusters, and the two clusters that are being merged.
    mean[(near[kept] < 0) | (near[gone] < 0)] = -1
    near[kept, :] = near[:, kept] = mean
    near[gone, :] = near[:, gone] = -1
    members[kept] = sorted(members[kept] + members.pop(gone))


def _described(places: Sequence[int], read: Sequence[_Read], likeness: Likeness) -> QuestionCluster:
    within = likeness[np.ix_(places, places)].sum(axis=1)
    typical = sorted(range(len(places)), key=lambda one: (-float(within[one]), one))
    return QuestionCluster(
        places=tuple(places[one] for one in typical),
        label=_label([read[place] for place in places]),
    )


def _label(read: Sequence[_Read]) -> tuple[str, ...]:
    """Return the most frequent stems in a cluster, each in its usual spelling. In a cluster of
    several questions, a word that occurs in only one of them is not the topic."""
    stems = Counter(stem for one in read for stem in one.words)
    least = 2 if len(read) > 1 else 1
    frequent = sorted(
        (stem for stem, count in stems.items() if count >= least),
        key=lambda stem: (-stems[stem], stem),
    )
    chosen = frequent[:_LABEL] or sorted(stems, key=lambda stem: (-stems[stem], stem))[:1]
    return tuple(_usual(one.words[stem] for one in read if stem in one.words) for stem in chosen)


def _usual(words: Iterable[str]) -> str:
    counts = Counter(words)
    return min(counts, key=lambda word: (-counts[word], word))
