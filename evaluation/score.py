"""Compute a brain's score: accuracy, calibration, confusion matrix, time and cost."""

import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

from domain.agent.brain import Category, Language
from evaluation.judgement import ScoredMessage
from evaluation.message import LANGUAGES, MessageKind, Tone


@dataclass(frozen=True, slots=True)
class Share:
    """A number of correct results out of a total."""

    right: int
    total: int

    @classmethod
    def of(cls, hits: Iterable[bool]) -> Self:
        counted = Counter(hits)
        return cls(right=counted[True], total=counted.total())

    @property
    def value(self) -> float:
        """Return the share, from 0 to 1. Return 0 if the total is 0."""
        return self.right / self.total if self.total else 0.0


@dataclass(frozen=True, slots=True)
class Score:
    """The metrics for one contestant.

    `failures` counts messages without an answer, by error code. `confusion` counts messages by
    correct and assigned category. Times are in milliseconds per message, and `cost_micros` in
    millionths of a US dollar.
    """

    accuracy: dict[tuple[Language, Category], Share]
    kinds: dict[MessageKind, Share]
    confusion: Counter[tuple[Category, Category]]
    calibration_error: float
    tones: dict[tuple[Language, Tone], Share]
    languages: dict[Language, Share]
    median_ms: float
    p95_ms: float
    tokens: int
    cost_micros: int
    failures: Counter[str]


def score(judgements: Sequence[ScoredMessage]) -> Score:
    """Compute the metrics. Raises `ValueError` if there are no messages."""
    if not judgements:
        raise ValueError("no messages")
    said = [(j.message, j.answered) for j in judgements if j.answered is not None]
    times = sorted(judgement.seconds * 1_000 for judgement in judgements)
    return Score(
        accuracy={
            (language, category): Share.of(
                j.category_right
                for j in judgements
                if (j.message.language, j.message.category) == (language, category)
            )
            for language in LANGUAGES
            for category in Category
        },
        kinds={
            kind: Share.of(j.category_right for j in judgements if j.message.kind is kind)
            for kind in MessageKind
        },
        confusion=Counter((m.category, a.answer.classification) for m, a in said),
        calibration_error=calibration_error(
            [(a.probability, a.answer.classification is m.category) for m, a in said]
        ),
        tones={
            (language, tone): Share.of(
                j.tone_right
                for j in judgements
                if (j.message.language, j.message.tone) == (language, tone)
            )
            for language in LANGUAGES
            for tone in Tone
        },
        languages={
            language: Share.of(
                j.language_right for j in judgements if j.message.language == language
            )
            for language in LANGUAGES
        },
        median_ms=statistics.median(times),
        p95_ms=times[min(len(times) * 95 // 100, len(times) - 1)],
        tokens=sum(a.answer.tokens_in + a.answer.tokens_out for _, a in said),
        cost_micros=sum(a.answer.cost_micros for _, a in said),
        failures=Counter(j.error_code for j in judgements if j.error_code is not None),
    )


def together(shares: Iterable[Share]) -> Share:
    """Return the combined share: the sum of the counts divided by the sum of the totals."""
    each = list(shares)
    return Share(right=sum(one.right for one in each), total=sum(one.total for one in each))


def calibration_error(stated: Sequence[tuple[float, bool]], bins: int = 10) -> float:
    """Return the expected calibration error: the mean gap between stated probability and hit rate,
    over equal-width bins weighted by size.

    `stated` contains each answer's probability, and whether it was right. Without answers, return
    0.
    """
    binned: dict[int, list[tuple[float, bool]]] = {}
    for probability, right in stated:
        binned.setdefault(min(int(probability * bins), bins - 1), []).append((probability, right))
    gaps = (
        abs(sum(probability for probability, _ in one) - sum(right for _, right in one))
        for one in binned.values()
    )
    return sum(gaps) / max(len(stated), 1)
