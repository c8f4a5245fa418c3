"""Train the detector of likely requests: `python -m training.train_requests [output]`.

From `requests.csv`: messages, each with the action that it asks for, or none. A message names an
action in several places and asks in one: which one is found by fitting, choosing the likeliest
mention of each message, and fitting again. The same examples give the same file, byte for byte.
"""

import csv
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]  # has no types

from domain.agent.consent.likely_request import REQUEST_MODEL_PATH, WEIGHT_STEP
from domain.agent.consent.request_features import REQUEST_BUCKETS, Mention, mentions
from domain.agent.plan import ActionKind

REQUESTS_PATH: Final = Path(__file__).with_name("requests.csv")
INVERSE_REGULARISATION: Final = 60.0
TOLERANCE: Final = 1e-8
ROUNDS: Final = 4
FOLDS: Final = 4
# Log-odds, chosen by cross-validation: a question that was not needed costs little.
ASKS: Final = -0.5
HINTS: Final = -2.0


@dataclass(frozen=True, slots=True)
class RequestExample:
    """`kind`: None where nothing is asked for."""

    kind: ActionKind | None
    text: str


@dataclass(frozen=True, slots=True)
class RequestReport:
    """Shares of messages held out: of those that ask, found; of the others, taken for requests."""

    found: float
    mistaken: float


@dataclass(frozen=True, slots=True)
class _Counted:
    """The mentions of all messages. `owner`: the message of each. `right`: mentions of the action
    that their message asks for."""

    rows: csr_matrix
    owner: NDArray[np.int64]
    right: NDArray[np.bool_]
    asks: NDArray[np.bool_]


def read_requests(path: Path) -> list[RequestExample]:
    """The rows of a CSV with the columns kind and text. Raises ValueError for an unknown kind."""
    with path.open(encoding="utf-8", newline="") as lines:
        return [
            RequestExample(ActionKind(row["kind"]) if row["kind"] else None, row["text"])
            for row in csv.DictReader(lines)
        ]


def train_requests(examples: Sequence[RequestExample], output: Path) -> RequestReport:
    """Fit the model and write it to `output`."""
    with threadpool_limits(limits=1):
        counted = _counted(examples)
        report = _held_out(counted, len(examples))
        model = _fit(counted, np.ones(len(examples), dtype=bool))
    steps = np.clip(np.rint(model.coef_[0] / WEIGHT_STEP), -127, 127).astype(np.int8)
    bias = np.float64(np.rint(model.intercept_[0] / WEIGHT_STEP) * WEIGHT_STEP)
    np.savez_compressed(
        output, weights=steps, bias=bias, asks=np.float64(ASKS), hints=np.float64(HINTS)
    )
    return report


def _counted(examples: Sequence[RequestExample]) -> _Counted:
    found = [(at, one) for at, example in enumerate(examples) for one in mentions(example.text)]
    wanted = [example.kind for example in examples]
    owner = np.array([at for at, _ in found])
    return _Counted(
        rows=_matrix([one for _, one in found]),
        owner=owner,
        right=np.array([wanted[at] is one.kind for at, one in found]),
        asks=np.array([wanted[at] is not None for at, _ in found]),
    )


def _matrix(found: Sequence[Mention]) -> csr_matrix:
    """One row a mention, each of length one."""
    ends = np.cumsum([0, *(len(one.buckets) for one in found)])
    values = np.concatenate([np.full(len(one.buckets), len(one.buckets) ** -0.5) for one in found])
    buckets = np.concatenate([one.buckets for one in found])
    return csr_matrix((values, buckets, ends), shape=(len(found), REQUEST_BUCKETS))


def _fit(counted: _Counted, chosen: NDArray[np.bool_]) -> LogisticRegression:
    """Fit on the messages that are chosen."""
    inside = chosen[counted.owner]
    used = inside & (counted.right | ~counted.asks)
    model = LogisticRegression(
        C=INVERSE_REGULARISATION, tol=TOLERANCE, max_iter=2_000, solver="lbfgs"
    )
    for _ in range(ROUNDS):
        at = np.flatnonzero(used)
        model.fit(counted.rows[at], counted.right[at])
        scores = model.decision_function(counted.rows)
        used = inside & (~counted.asks | (counted.right & (scores > 0)))
        used[list(_likeliest(counted, scores, inside).values())] = True
    return model


def _likeliest(
    counted: _Counted, scores: NDArray[np.float64], inside: NDArray[np.bool_]
) -> dict[int, int]:
    """The likeliest mention of each message that asks for something."""
    best: dict[int, int] = {}
    for at in np.flatnonzero(inside & counted.right):
        owner = int(counted.owner[at])
        if owner not in best or scores[at] > scores[best[owner]]:
            best[owner] = int(at)
    return best


def _held_out(counted: _Counted, messages: int) -> RequestReport:
    """Judge each fold by a model that did not see it."""
    fold = np.arange(messages) % FOLDS
    best = np.full(messages, -np.inf)
    for one in range(FOLDS):
        scores = _fit(counted, fold != one).decision_function(counted.rows)
        mine = np.flatnonzero(fold[counted.owner] == one)
        np.maximum.at(best, counted.owner[mine], scores[mine])
    asks = np.zeros(messages, dtype=bool)
    asks[counted.owner[counted.asks]] = True
    taken = best >= ASKS
    return RequestReport(float(taken[asks].mean()), float(taken[~asks].mean()))


def main(arguments: Sequence[str]) -> None:
    """Train from the committed examples; the one optional argument is the output file."""
    output = Path(arguments[0]) if arguments else REQUEST_MODEL_PATH
    report = train_requests(read_requests(REQUESTS_PATH), output)
    sys.stdout.write(f"found {report.found:.3f}, mistaken {report.mistaken:.3f}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
