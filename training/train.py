"""Train the embedded classifier: `python -m training.train [output]`.

The same examples give the same file, byte for byte. Reports how messages held out of training
were judged: accuracy by language and expected calibration error.
"""

import csv
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]  # has no types

from adapters.brain.classifier import (
    CATEGORIES,
    LANGUAGES,
    MODEL_PATH,
    WEIGHT_STEP,
    Featurizer,
    Floats,
    softmax,
)
from domain.brain import Category, Language

EXAMPLES_PATH: Final = Path(__file__).with_name("examples.csv")
FOLDS: Final = 10
INVERSE_REGULARISATION: Final = 20.0
# Far past what accuracy needs: the weights must settle well below the step they are rounded to.
TOLERANCE: Final = 1e-10
TEMPERATURES: Final = tuple(round(0.20 + 0.01 * step, 2) for step in range(281))

Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Example:
    language: Language
    category: Category
    text: str


@dataclass(frozen=True, slots=True)
class Report:
    """Measured on messages the judging model never saw, with the fitted temperature.

    `accuracy` and `language_accuracy` are shares by language; `calibration_error` is the expected
    calibration error of the category over ten bins; all 0 to 1.
    """

    examples: int
    accuracy: dict[Language, float]
    language_accuracy: dict[Language, float]
    calibration_error: float
    temperature: float


def read_examples(path: Path) -> list[Example]:
    """The rows of a CSV with the columns language, category and text.

    Raises `ValueError` for an unknown language or category, or an empty text.
    """
    with path.open(encoding="utf-8", newline="") as lines:
        return [_example(row) for row in csv.DictReader(lines)]


def _example(row: dict[str, str]) -> Example:
    language = next((known for known in LANGUAGES if known == row["language"]), None)
    if language is None or not row["text"].strip():
        raise ValueError(f"not an example: {row}")
    return Example(language=language, category=Category(row["category"]), text=row["text"])


def expected_calibration_error(probabilities: Floats, labels: Numbers, bins: int = 10) -> float:
    """Mean gap between stated probability and hit rate, over equal bins weighted by their size.

    `probabilities` has shape (messages, classes); `labels` holds the right columns.
    """
    stated = probabilities.max(axis=1)
    right = probabilities.argmax(axis=1) == labels
    places = np.minimum((stated * bins).astype(np.int64), bins - 1)
    gaps = [
        abs(float(stated[chosen].mean()) - float(right[chosen].mean())) * float(chosen.mean())
        for chosen in (places == place for place in range(bins))
        if chosen.any()
    ]
    return sum(gaps)


def train(examples: Sequence[Example], output: Path) -> Report:
    """Fit both heads and their temperatures, and write the artifact to `output`."""
    # One thread: the order of a sum, and so its last digit, must not hang on the machine's cores.
    with threadpool_limits(limits=1):
        return _train(examples, output)


def _train(examples: Sequence[Example], output: Path) -> Report:
    rows = Featurizer().rows([example.text for example in examples])
    categories = np.array([CATEGORIES.index(example.category) for example in examples])
    languages = np.array([LANGUAGES.index(example.language) for example in examples])
    compact = _rotated(rows)
    logits, language_logits = _logits_held_out(compact, categories, languages)
    temperature = _fit_temperature(logits, categories)
    language_temperature = _fit_temperature(language_logits, languages)
    weights, bias = _weights(rows, compact, categories)
    language_weights, language_bias = _weights(rows, compact, languages)
    np.savez(
        output,
        allow_pickle=False,
        categories=np.array([str(category) for category in CATEGORIES]),
        category_weights=_rounded(weights),
        category_bias=_rounded(bias),
        language_weights=_rounded(language_weights[0]),
        language_bias=_rounded(language_bias),
        temperatures=np.array([temperature, language_temperature], dtype=np.float64),
    )
    return Report(
        examples=len(examples),
        accuracy=_by_language(logits.argmax(axis=1) == categories, languages),
        language_accuracy=_by_language(language_logits.argmax(axis=1) == languages, languages),
        calibration_error=expected_calibration_error(softmax(logits / temperature), categories),
        temperature=temperature,
    )


def _rotated(rows: csr_matrix) -> Floats:
    """The same examples in as many dimensions as there are examples, all distances kept.

    A linear model with a quadratic penalty is the same in either space, and far quicker to fit
    in this one.
    """
    products: Floats = (rows @ rows.T).toarray()
    values, vectors = np.linalg.eigh(products)
    kept = values > 1e-9
    return cast("Floats", vectors[:, kept] * np.sqrt(values[kept]))


def _fit(compact: Floats, labels: Numbers) -> LogisticRegression:
    model = LogisticRegression(
        C=INVERSE_REGULARISATION, tol=TOLERANCE, max_iter=10_000, solver="newton-cg"
    )
    return model.fit(compact, labels)


def _weights(rows: csr_matrix, compact: Floats, labels: Numbers) -> tuple[Floats, Floats]:
    """Weights of shape (classes, buckets) and biases; one row only where there are two classes.

    At the optimum the weights are the examples summed, each by what the model still misses of
    it: that brings the fit back from the compact space to the buckets.
    """
    model = _fit(compact, labels)
    missed = np.eye(len(model.classes_))[labels] - model.predict_proba(compact)
    weights: Floats = INVERSE_REGULARISATION * (rows.T @ missed).T
    return weights[-len(model.intercept_) :], cast("Floats", model.intercept_)


def _logits_held_out(
    compact: Floats, categories: Numbers, languages: Numbers
) -> tuple[Floats, Floats]:
    """Both heads' logits for every example, from a model that was not shown it."""
    logits = np.zeros((len(categories), len(CATEGORIES)))
    language_logits = np.zeros((len(categories), len(LANGUAGES)))
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    for shown, held_out in folds.split(compact, categories * len(LANGUAGES) + languages):
        model = _fit(compact[shown], categories[shown])
        logits[held_out] = model.decision_function(compact[held_out])
        model = _fit(compact[shown], languages[shown])
        language_logits[held_out, 1] = model.decision_function(compact[held_out])
    return logits, language_logits


def _fit_temperature(logits: Floats, labels: Numbers) -> float:
    """The temperature of least log loss. A grid: its answer does not hang on a last digit."""
    each = np.arange(len(labels))

    def loss(temperature: float) -> float:
        return float(-np.log(softmax(logits / temperature)[each, labels] + 1e-12).mean())

    return min(TEMPERATURES, key=loss)


def _rounded(weights: Floats) -> NDArray[np.int8]:
    steps = np.rint(weights / WEIGHT_STEP)
    return np.clip(steps, -127, 127).astype(np.int8)


def _by_language(right: NDArray[np.bool_], languages: Numbers) -> dict[Language, float]:
    return {
        language: float(right[languages == place].mean())
        for place, language in enumerate(LANGUAGES)
    }


def main(arguments: Sequence[str]) -> None:
    """Train from the committed examples; the one optional argument is the output file."""
    output = Path(arguments[0]) if arguments else MODEL_PATH
    report = train(read_examples(EXAMPLES_PATH), output)
    lines = [f"{report.examples} examples, {FOLDS} folds, temperature {report.temperature:.2f}"]
    lines += [
        f"{language}: accuracy {share:.3f}, "
        f"language told right {report.language_accuracy[language]:.3f}"
        for language, share in report.accuracy.items()
    ]
    lines.append(f"expected calibration error {report.calibration_error:.3f}")
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
