"""Linear heads over hashed features: how they are fitted, and how they are rounded for a file."""

from collections.abc import Sequence
from typing import Final, cast

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from adapters.brain.artifact import WEIGHT_STEP
from adapters.brain.features import FeatureRow, Floats, Numbers

INVERSE_REGULARISATION: Final = 3.0
# Far past what accuracy needs: the weights must settle well below the step they are rounded to.
TOLERANCE: Final = 1e-10
# What a fold is judged by needs no such care.
ROUGH_TOLERANCE: Final = 1e-3


def matrix(rows: Sequence[FeatureRow], width: int) -> csr_matrix:
    """One row an example, of shape (len(rows), width)."""
    ends = np.cumsum([0, *(len(row.buckets) for row in rows)])
    values = np.concatenate([row.values for row in rows])
    buckets = np.concatenate([row.buckets for row in rows])
    return csr_matrix((values, buckets, ends), shape=(len(rows), width))


def rotated(rows: csr_matrix) -> Floats:
    """The same examples in as many dimensions as there are examples, all distances kept.

    A linear model with a quadratic penalty is the same in either space, and far quicker to fit
    in this one.
    """
    products: Floats = (rows @ rows.T).toarray()
    # Two examples may be counted alike; a trace of a dimension of its own keeps each apart.
    products[np.diag_indices_from(products)] += 1e-9
    return cast("Floats", np.linalg.cholesky(products))


def fit(
    compact: Floats, labels: Numbers, tolerance: float, counts: Floats | None = None
) -> LogisticRegression:
    """`counts`: how often each example counts; once unless told."""
    model = LogisticRegression(
        C=INVERSE_REGULARISATION, tol=tolerance, max_iter=10_000, solver="newton-cg"
    )
    return model.fit(compact, labels, sample_weight=counts)


def weights(
    rows: csr_matrix, compact: Floats, labels: Numbers, counts: Floats | None = None
) -> tuple[Floats, Floats]:
    """Weights of shape (classes, buckets) and biases.

    At the optimum the weights are the examples summed, each by what the model still misses of
    it: that brings the fit back from the compact space to the buckets.
    """
    model = fit(compact, labels, TOLERANCE, counts)
    missed = np.eye(len(model.classes_))[labels] - model.predict_proba(compact)
    if counts is not None:
        missed *= counts[:, None]
    found: Floats = INVERSE_REGULARISATION * (rows.T @ missed).T
    bias = cast("Floats", model.intercept_)
    if len(bias) == 1:
        # Of two classes scikit-learn scores the second only, against nothing.
        return np.vstack([np.zeros_like(found[1]), found[1]]), np.array([0.0, bias[0]])
    return found, bias


def rounded(values: Floats) -> NDArray[np.int8]:
    """In steps of WEIGHT_STEP, as a model file keeps them."""
    steps = np.rint(values / WEIGHT_STEP)
    return np.clip(steps, -127, 127).astype(np.int8)
