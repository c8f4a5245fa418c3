"""A client's own head: what one client's tickets teach the classifier beyond its examples.

It adds to the logits of the shared head, so that a client with few tickets keeps the shared
judgement. Fitted and kept in numbers alone: no word of a ticket can be read from it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Self

import numpy as np

from adapters.brain.artifact import read_arrays, stored
from adapters.brain.classifier import CATEGORIES, softmax
from adapters.brain.features import FeatureRow, Floats, Numbers

DIMENSIONS: Final = 4096
"""The buckets of a row are folded into so many, with signs that keep the distances on average."""

_CLASSES: Final = len(CATEGORIES)
_PENALTY: Final = 0.3
_ROUNDS: Final = 60
_FOLDS: Final = 5
_TEMPERATURES: Final = (0.6, 0.8, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0)
_MULTIPLIER: Final = 2654435761


@dataclass(frozen=True, slots=True)
class OwnHead:
    """`weights` has shape (DIMENSIONS, classes)."""

    weights: Floats
    bias: Floats
    temperature: float

    def probabilities(self, row: FeatureRow, shared: Floats) -> Floats:
        """`shared`: the logits of the shared head, at its temperature."""
        logits = shared + compact(row) @ self.weights + self.bias
        return softmax(logits / self.temperature)


def compact(row: FeatureRow) -> Floats:
    mixed = (row.buckets * _MULTIPLIER) % 2**32
    signs = np.where((mixed >> 13) & 1, 1.0, -1.0)
    folded = np.zeros(DIMENSIONS)
    np.add.at(folded, mixed >> 20, signs * row.values)
    return folded


@dataclass(frozen=True, slots=True)
class Comparison:
    """On tickets that were held back: how many the client's own head had right alone (`won`), the
    shared one alone (`lost`), and both."""

    tickets: int
    won: int
    lost: int
    both: int


def fit(rows: Floats, shared: Floats, labels: Numbers) -> tuple[Floats, Floats]:
    """Weights and biases that add to the shared logits.

    The penalty is quadratic. Each round solves the bound of Böhning (1992), which never gets worse.
    """
    kernel = rows @ rows.T + 1.0
    solve = np.linalg.inv(0.5 * kernel + _PENALTY * np.eye(len(rows)))
    wanted = np.eye(_CLASSES)[labels]
    parts = np.zeros((len(rows), _CLASSES))
    for _ in range(_ROUNDS):
        missed = softmax(shared + kernel @ parts) - wanted
        parts -= solve @ (missed + _PENALTY * parts)
    return rows.T @ parts, parts.sum(axis=0)
