"""Fit linear classifiers over hashed features, and round their weights for a model file."""

from collections.abc import Sequence
from typing import Final, cast

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from adapters.brain.artifact import WEIGHT_STEP
from adapters.brain.features import FeatureRow, Floats, Numbers

INVERSE_REGULARISATION: Final = 3.0
# This tolerance is much stricter than accuracy requires. The weights are rounded to WEIGHT_STEP, so
# they must converge to well below that step.
TOLERANCE: Final = 1e-10
# Lower precision is sufficient for scoring a cross-validation fold.
ROUGH_TOLERANCE: Final = 1e-3
_LEAST_SPREAD: Final = 1e-4


def standardized(rows: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the rows with each feature standardized, the features' means, and their spreads."""
    means = rows.mean(axis=0)
    # A feature that never varies must not affect the result.
    spreads = np.where(rows.std(axis=0) < _LEAST_SPREAD, 1.0, rows.std(axis=0))
    return (rows - means) / spreads, means, spreads


def matrix(rows: Sequence[FeatureRow], width: int) -> csr_matrix:
    """Return a sparse matrix with one row per example, of shape (len(rows), width)."""
    ends = np.cumsum([0, *(len(row.buckets) for row in rows)])
    values = np.concatenate([row.values for row in rows])
    buckets = np.concatenate([row.buckets for row in rows])
    return csr_matrix((values, buckets, ends), shape=(len(rows), width))


def rotated(rows: csr_matrix) -> Floats:
    """Return the examples, rotated into a space with as many dimensions as examples. Distances stay
    the same.

    A linear model with a quadratic penalty is equivalent there, and much faster to fit.
    """
    products: Floats = (rows @ rows.T).toarray()
    # Two examples may have identical features. A small extra dimension for each example keeps them
    # distinct.
    products[np.diag_indices_from(products)] += 1e-9
    return cast("Floats", np.linalg.cholesky(products))


def fit(
    compact: Floats, labels: Numbers, tolerance: float, counts: Floats | None = None
) -> LogisticRegression:
    """Fit one logistic regression. `counts` is the weight of each example, by default 1."""
    model = LogisticRegression(
        C=INVERSE_REGULARISATION, tol=tolerance, max_iter=10_000, solver="newton-cg"
    )
    return model.fit(compact, labels, sample_weight=counts)


def weights(
    rows: csr_matrix, compact: Floats, labels: Numbers, counts: Floats | None = None
) -> tuple[Floats, Floats]:
    """Fit a classifier, and return its weights, of shape (classes, buckets), and its biases.

    At the optimum, the weights are the sum of the examples weighted by residual, which maps the fit
    from the compact space to the buckets.
    """
    model = fit(compact, labels, TOLERANCE, counts)
    missed = np.eye(len(model.classes_))[labels] - model.predict_proba(compact)
    if counts is not None:
        missed *= counts[:, None]
    found: Floats = INVERSE_REGULARISATION * (rows.T @ missed).T
    bias = cast("Floats", model.intercept_)
    if len(bias) == 1:
        # For two classes, scikit-learn fits only the second class. The weights of the first class
        # are 0.
        return np.vstack([np.zeros_like(found[1]), found[1]]), np.array([0.0, bias[0]])
    return found, bias


def rounded(values: Floats) -> NDArray[np.int8]:
    """Return the values as integer multiples of WEIGHT_STEP, clipped to ±127, as stored in a model
    file."""
    steps = np.rint(values / WEIGHT_STEP)
    return np.clip(steps, -127, 127).astype(np.int8)
