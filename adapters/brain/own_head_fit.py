"""Train a client's own classifier head, and compare it with the shared head on held-out tickets."""

import asyncio
from collections.abc import Sequence
from hashlib import sha256
from typing import Final

import numpy as np

from adapters.brain.classifier import CATEGORIES, Classifier, softmax
from adapters.brain.features import Floats, Numbers
from adapters.brain.own_head import OwnWeights, folded
from domain.core.effort import budget
from domain.core.errors import OverBudget
from domain.learning.own_head_trial import (
    MAX_LESSONS,
    MIN_LESSONS,
    HeldBackCount,
    Lesson,
    OwnHeadState,
    TriedHead,
    adopted,
)

FOLDS: Final = 5
_CLASSES: Final = len(CATEGORIES)
# These values were chosen using the tickets of an invented shop (docs/evaluation.md).
_PENALTY: Final = 0.3
_ROUNDS: Final = 60
# The temperatures to try. None is below 1, because a temperature below 1 would increase the fitted
# confidence.
_TEMPERATURES: Final = (1.0, 1.25, 1.5, 2.0, 2.5, 3.0)


class OwnHeadFitter:
    """A `TriesHeads` that trains a classifier head in a thread. It is deterministic: the same
    examples produce the same head."""

    def __init__(self, classifier: Classifier) -> None:
        self._classifier = classifier

    @property
    def model(self) -> str:
        return self._classifier.fingerprint

    async def tried(self, lessons: Sequence[Lesson]) -> TriedHead:
        """Train a classifier head on the latest `MAX_LESSONS` examples, compare it with the shared
        head, and return both results.

        The comparison is a `FOLDS`-fold cross-validation. Texts that are too expensive are skipped.
        """
        return await asyncio.to_thread(self._tried, lessons)

    def _tried(self, lessons: Sequence[Lesson]) -> TriedHead:
        latest = sorted(lessons, key=lambda one: (one.at, one.id))[-MAX_LESSONS:]
        read = _ReadLessons.of(self._classifier, sorted(latest, key=lambda one: one.id))
        if len(read.labels) < MIN_LESSONS:
            return TriedHead(HeldBackCount(tickets=len(read.labels)), OwnHeadState.TOO_FEW)
        held_back = read.held_back_logits()
        compared = read.compared(held_back)
        state = adopted(compared)
        if state is not OwnHeadState.USED:
            return TriedHead(compared, state)
        weights, bias = fit(read.rows, read.shared, read.labels)
        head = OwnWeights(weights, bias, _temperature(held_back, read.labels))
        return TriedHead(compared, state, head.written())


class _ReadLessons:
    """Training examples as arrays, with one row per example. `folds` is the fold of each example,
    computed from its text, so that equal texts are in the same fold."""

    def __init__(self, rows: Floats, shared: Floats, labels: Numbers, folds: Numbers) -> None:
        self.rows, self.shared, self.labels, self._folds = rows, shared, labels, folds

    @classmethod
    def of(cls, classifier: Classifier, lessons: Sequence[Lesson]) -> "_ReadLessons":
        rows, shared, labels, folds = [], [], [], []
        for one in lessons:
            try:
                with budget():
                    row = classifier.row(one.text)
            except OverBudget:
                continue
            rows.append(folded(row))
            shared.append(classifier.shared_logits(row))
            labels.append(CATEGORIES.index(one.classification))
            folds.append(sha256(one.text.encode()).digest()[0] % FOLDS)
        return cls(
            np.array(rows).reshape(len(rows), -1),
            np.array(shared).reshape(len(rows), _CLASSES),
            np.array(labels, dtype=np.int64),
            np.array(folds, dtype=np.int64),
        )

    def held_back_logits(self) -> Floats:
        """Return the logits for each example, computed by a head that was trained without the
        example's fold."""
        logits = self.shared.copy()
        for fold in range(FOLDS):
            held, rest = self._folds == fold, self._folds != fold
            if held.any() and rest.any():
                weights, bias = fit(self.rows[rest], self.shared[rest], self.labels[rest])
                logits[held] += self.rows[held] @ weights + bias
        return logits

    def compared(self, held_back: Floats) -> HeldBackCount:
        """Count the examples that only the new head, only the shared head, or both heads classify
        correctly."""
        own = held_back.argmax(axis=1) == self.labels
        shared = self.shared.argmax(axis=1) == self.labels
        return HeldBackCount(
            tickets=len(self.labels),
            won=int((own & ~shared).sum()),
            lost=int((shared & ~own).sum()),
            both_right=int((own & shared).sum()),
        )


def fit(rows: Floats, shared: Floats, labels: Numbers) -> tuple[Floats, Floats]:
    """Return the weights and biases of the logits that are added to `shared`.

    They solve a logistic regression with a quadratic penalty, in the dual form. Each round
    minimizes the Böhning bound (1992), so the loss never increases.
    """
    kernel = rows @ rows.T + 1.0
    solve = np.linalg.inv(0.5 * kernel + _PENALTY * np.eye(len(rows)))
    wanted = np.eye(_CLASSES)[labels]
    parts = np.zeros((len(rows), _CLASSES))
    for _ in range(_ROUNDS):
        missed = softmax(shared + kernel @ parts) - wanted
        parts -= solve @ (missed + _PENALTY * parts)
    return rows.T @ parts, parts.sum(axis=0)


def _temperature(held_back: Floats, labels: Numbers) -> float:
    """Return the temperature that maximizes the likelihood of the held-out examples."""

    def loss(temperature: float) -> float:
        of_label = softmax(held_back / temperature)[np.arange(len(labels)), labels]
        return float(-np.log(np.maximum(of_label, 1e-12)).mean())

    return min(_TEMPERATURES, key=loss)
