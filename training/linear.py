"""Linear heads over hashed features: how they are fitted, and how they are rounded for a file."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, cast

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from adapters.brain.artifact import WEIGHT_STEP
from adapters.brain.features import FeatureRow, Floats, Numbers

INVERSE_REGULARISATION: Final = 3.0
# The weights settle well below the step that they are rounded to.
TOLERANCE: Final = 1e-5
# The fits that only measure need less.
ROUGH_TOLERANCE: Final = 1e-3


def matrix(rows: Sequence[FeatureRow], width: int) -> csr_matrix:
    """One row an example, of shape (len(rows), width)."""
    ends = np.cumsum([0, *(len(row.buckets) for row in rows)])
    values = np.concatenate([row.values for row in rows])
    buckets = np.concatenate([row.buckets for row in rows])
    return csr_matrix((values, buckets, ends), shape=(len(rows), width))


@dataclass(frozen=True, slots=True)
class FittedHead:
    """`weights` has shape (classes, buckets); of two classes there is one row, for the second."""

    weights: Floats
    bias: Floats

    def logits(self, rows: csr_matrix) -> Floats:
        """Of shape (examples, rows of `weights`)."""
        return cast("Floats", rows @ self.weights.T + self.bias)

    def arrays(self, name: str) -> dict[str, NDArray[np.generic]]:
        """As `adapters.brain.artifact.LinearHead` reads them."""
        return {f"{name}_weights": rounded(self.weights), f"{name}_bias": rounded(self.bias)}


def fit(
    rows: csr_matrix, labels: Numbers, counts: Floats | None = None, tolerance: float = TOLERANCE
) -> FittedHead:
    """`counts`: the weight of each example, 1 by default. A bucket that one example alone fills
    says nothing about another, and gets no weight."""
    shared = np.flatnonzero(rows.getnnz(axis=0) > 1)
    model = LogisticRegression(C=INVERSE_REGULARISATION, tol=tolerance, max_iter=10_000)
    model.fit(rows[:, shared], labels, sample_weight=counts)
    weights = np.zeros((model.coef_.shape[0], rows.shape[1]))
    weights[:, shared] = model.coef_
    return FittedHead(weights, cast("Floats", model.intercept_))


def rounded(values: Floats) -> NDArray[np.int8]:
    """In steps of WEIGHT_STEP, as a model file keeps them."""
    steps = np.rint(values / WEIGHT_STEP)
    return np.clip(steps, -127, 127).astype(np.int8)
