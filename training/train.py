"""Train the embedded classifier: `python -m training.train [output]`.

The output is reproducible, byte for byte. The report shows accuracy, calibration and sentiment on
held-out messages.
"""

import csv
import hashlib
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]  # has no types

from adapters.brain.classifier import (
    CATEGORIES,
    HEADS,
    MODEL_PATH,
    SENTIMENTS,
    softmax,
)
from adapters.brain.features import (
    BUCKETS,
    RARITY_STEP,
    Floats,
    Numbers,
    rarities_of,
    row_of,
)
from domain.agent.brain import Category, Language
from training.linear import ROUGH_TOLERANCE, fit, matrix, rotated, rounded, weights

EXAMPLES_PATH: Final = Path(__file__).with_name("examples.csv")
LANGUAGES: Final[tuple[Language, Language]] = ("en", "fr")
FOLDS: Final = 5
TEMPERATURES: Final = tuple(round(0.20 + 0.01 * step, 2) for step in range(281))
# A sentiment is positive or negative if its absolute value is at least this large. Otherwise it is
# neutral.
MOOD: Final = 0.2

Sentiment = Literal["negative", "neutral", "positive"]


@dataclass(frozen=True, slots=True)
class Example:
    language: Language
    category: Category
    sentiment: Sentiment
    text: str


@dataclass(frozen=True, slots=True)
class TrainingReport:
    """Results on held-out messages, with the fitted temperatures.

    Accuracies are shares, by language or category. `calibration_error` is over ten bins.
    """

    examples: int
    accuracy: Mapping[Language, float]
    category_accuracy: Mapping[Category, float]
    sentiment_accuracy: Mapping[Language, float]
    calibration_error: float
    temperatures: Mapping[str, float]


def read_examples(path: Path) -> list[Example]:
    """Return the rows of a CSV file with the columns language, category, sentiment and text.

    Raises `ValueError` for an unknown language, category or sentiment, or for an empty text.
    """
    with path.open(encoding="utf-8", newline="") as lines:
        return [_example(row) for row in csv.DictReader(lines)]


def _example(row: dict[str, str]) -> Example:
    language = next((known for known in LANGUAGES if known == row["language"]), None)
    sentiment = next((known for known in SENTIMENTS if known == row.get("sentiment")), None)
    if language is None or sentiment is None or not row["text"].strip():
        raise ValueError(f"not an example: {row}")
    return Example(language, Category(row["category"]), sentiment, row["text"])


def expected_calibration_error(probabilities: Floats, labels: Numbers, bins: int = 10) -> float:
    """Return the expected calibration error: the mean gap between predicted probability and
    accuracy, over equal-width bins weighted by size.

    `probabilities` has shape (messages, classes). `labels` are the correct classes.
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


def digest_of(examples: Sequence[Example]) -> str:
    """Return a SHA-256 hash of the examples. It identifies the training data of a model file."""
    example_lines = (
        f"{it.language}\0{it.category}\0{it.sentiment}\0{it.text}\0" for it in examples
    )
    return hashlib.sha256("".join(example_lines).encode()).hexdigest()


def mood(sentiment: float) -> Sentiment:
    """Return "positive", "neutral" or "negative" for a sentiment between -1 and 1."""
    if abs(sentiment) < MOOD:
        return "neutral"
    return "positive" if sentiment > 0 else "negative"


def train(examples: Sequence[Example], output: Path) -> TrainingReport:
    """Fit the classifiers and their temperatures, and write the model file to `output`."""
    # Use a single thread. Otherwise the order of a floating-point sum, and therefore its last
    # digit, would depend on the number of cores.
    with threadpool_limits(limits=1):
        return _train(examples, output)


def _train(examples: Sequence[Example], output: Path) -> TrainingReport:
    texts = [example.text for example in examples]
    rarities = rarities_of(texts)
    rows = matrix([row_of(text, rarities) for text in texts], BUCKETS)
    compact = rotated(rows)
    labels = _labels(examples)
    judged: dict[str, Floats] = {}
    temperatures: dict[str, float] = {}
    arrays: dict[str, NDArray[np.generic]] = {
        "categories": np.array([str(category) for category in CATEGORIES]),
        "examples": np.array(digest_of(examples)),
        "rarities": np.rint(rarities / RARITY_STEP).astype(np.uint8),
    }
    for head in HEADS:
        logits = _logits_held_out(compact, labels[head], labels)
        temperatures[head] = _fit_temperature(logits, labels[head])
        judged[head] = softmax(logits / temperatures[head])
        found, bias = weights(rows, compact, labels[head])
        arrays[f"{head}_weights"] = rounded(found)
        arrays[f"{head}_bias"] = rounded(bias)
        arrays[f"{head}_temperature"] = np.array(temperatures[head])
    np.savez(output, allow_pickle=False, **arrays)
    return _report(labels, judged, temperatures)


def _labels(examples: Sequence[Example]) -> dict[str, Numbers]:
    """Return the index of the correct class for every example, for each classifier head."""
    return {
        "category": np.array([CATEGORIES.index(example.category) for example in examples]),
        "language": np.array([LANGUAGES.index(example.language) for example in examples]),
        "sentiment": np.array([SENTIMENTS.index(example.sentiment) for example in examples]),
    }


def _logits_held_out(compact: Floats, wanted: Numbers, labels: dict[str, Numbers]) -> Floats:
    """Return one classifier head's logits for every example. Each comes from a cross-validation
    model that was trained without that example."""
    logits = np.zeros((len(wanted), wanted.max() + 1))
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    strata = labels["category"] * len(LANGUAGES) + labels["language"]
    for shown, held_out in folds.split(compact, strata):
        model = fit(compact[shown], wanted[shown], ROUGH_TOLERANCE)
        scores = cast("Floats", model.decision_function(compact[held_out]))
        # For two classes, scikit-learn returns only the second class's logit. The first class's
        # logit is 0.
        logits[held_out] = scores if scores.ndim == 2 else np.outer(scores, [0.0, 1.0])
    return logits


def _fit_temperature(logits: Floats, labels: Numbers) -> float:
    """Return the temperature with the lowest log loss. The candidates form a fixed grid, so the
    result does not depend on rounding differences."""
    each = np.arange(len(labels))

    def loss(temperature: float) -> float:
        return float(-np.log(softmax(logits / temperature)[each, labels] + 1e-12).mean())

    return min(TEMPERATURES, key=loss)


def _report(
    labels: dict[str, Numbers], judged: dict[str, Floats], temperatures: dict[str, float]
) -> TrainingReport:
    right = {head: judged[head].argmax(axis=1) == labels[head] for head in HEADS}
    sentiments = judged["sentiment"][:, 2] - judged["sentiment"][:, 0]
    moods = np.array([SENTIMENTS.index(mood(sentiment)) for sentiment in sentiments])
    languages = labels["language"]

    def by_language(hits: NDArray[np.bool_]) -> dict[Language, float]:
        return {
            language: float(hits[languages == place].mean())
            for place, language in enumerate(LANGUAGES)
        }

    return TrainingReport(
        examples=len(languages),
        accuracy=by_language(right["category"]),
        category_accuracy={
            category: float(right["category"][labels["category"] == place].mean())
            for place, category in enumerate(CATEGORIES)
        },
        sentiment_accuracy=by_language(moods == labels["sentiment"]),
        calibration_error=expected_calibration_error(judged["category"], labels["category"]),
        temperatures=temperatures,
    )


def main(arguments: Sequence[str]) -> None:
    """Train from the committed examples. `arguments`: optionally, the output file."""
    output = Path(arguments[0]) if arguments else MODEL_PATH
    report = train(read_examples(EXAMPLES_PATH), output)
    heats = ", ".join(f"{head} {heat:.2f}" for head, heat in report.temperatures.items())
    lines = [f"{report.examples} examples, {FOLDS} folds, temperatures: {heats}"]
    lines += [
        f"{language}: accuracy {share:.3f}, sentiment {report.sentiment_accuracy[language]:.3f}"
        for language, share in report.accuracy.items()
    ]
    lines += [f"{name}: accuracy {share:.3f}" for name, share in report.category_accuracy.items()]
    lines.append(f"expected calibration error {report.calibration_error:.3f}")
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
