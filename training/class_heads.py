"""The heads of class and mood, calibrated by language on messages held out of training."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.model_selection import StratifiedKFold

from adapters.brain.artifact import softmax
from adapters.brain.classifier import CATEGORIES, HEADS, LANGUAGES, SENTIMENTS
from adapters.brain.features import Floats, Numbers
from domain.agent.brain import Category, Language
from training.examples import Example, mood
from training.linear import ROUGH_TOLERANCE, fit

FOLDS: Final = 5
TEMPERATURES: Final = tuple(round(0.20 + 0.01 * step, 2) for step in range(281))


@dataclass(frozen=True, slots=True)
class ClassReport:
    """Measured on messages the judging model never saw, with the fitted temperatures.

    The accuracies are shares, by language or by category; `calibration_error` is the expected
    calibration error of the category over ten bins; all 0 to 1.
    """

    examples: int
    accuracy: Mapping[Language, float]
    category_accuracy: Mapping[Category, float]
    sentiment_accuracy: Mapping[Language, float]
    calibration_error: float
    temperatures: Mapping[str, tuple[float, ...]]

    @property
    def lines(self) -> list[str]:
        heats = ", ".join(
            f"{head} {language} {heat:.2f}"
            for head, heats in self.temperatures.items()
            for language, heat in zip(LANGUAGES, heats, strict=True)
        )
        lines = [f"{self.examples} examples, {FOLDS} folds, temperatures: {heats}"]
        lines += [
            f"{language}: accuracy {share:.3f}, sentiment {self.sentiment_accuracy[language]:.3f}"
            for language, share in self.accuracy.items()
        ]
        lines += [f"{name}: accuracy {share:.3f}" for name, share in self.category_accuracy.items()]
        lines.append(f"expected calibration error {self.calibration_error:.3f}")
        return lines


def train_classes(
    rows: csr_matrix, examples: Sequence[Example]
) -> tuple[dict[str, NDArray[np.generic]], ClassReport]:
    """Fit both heads and their temperatures. `rows`: one an example."""
    labels = {
        "category": np.array([CATEGORIES.index(example.category) for example in examples]),
        "sentiment": np.array([SENTIMENTS.index(example.sentiment) for example in examples]),
    }
    languages = np.array([LANGUAGES.index(example.language) for example in examples])
    arrays: dict[str, NDArray[np.generic]] = {
        "categories": np.array([str(category) for category in CATEGORIES])
    }
    judged: dict[str, Floats] = {}
    temperatures: dict[str, tuple[float, ...]] = {}
    for head in HEADS:
        held_out = _logits_held_out(rows, labels[head], labels["category"] * 2 + languages)
        temperatures[head] = tuple(
            _fit_temperature(held_out[languages == place], labels[head][languages == place])
            for place in range(len(LANGUAGES))
        )
        judged[head] = softmax(held_out / np.array(temperatures[head])[languages][:, None])
        arrays |= fit(rows, labels[head]).arrays(head)
        arrays[f"{head}_temperatures"] = np.array(temperatures[head])
    return arrays, _report(labels, languages, judged, temperatures)


def _logits_held_out(rows: csr_matrix, wanted: Numbers, strata: Numbers) -> Floats:
    """One head's logits for every example, from a model that was not shown it."""
    held_out = np.zeros((len(wanted), wanted.max() + 1))
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    for shown, hidden in folds.split(strata, strata):
        model = fit(rows[shown], wanted[shown], tolerance=ROUGH_TOLERANCE)
        held_out[hidden] = model.logits(rows[hidden])
    return held_out


def _fit_temperature(logits: Floats, labels: Numbers) -> float:
    """The temperature of least log loss. A grid: its answer does not hang on a last digit."""
    each = np.arange(len(labels))

    def loss(temperature: float) -> float:
        return float(-np.log(softmax(logits / temperature)[each, labels] + 1e-12).mean())

    return min(TEMPERATURES, key=loss)


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


def _report(
    labels: dict[str, Numbers],
    languages: Numbers,
    judged: dict[str, Floats],
    temperatures: dict[str, tuple[float, ...]],
) -> ClassReport:
    right = judged["category"].argmax(axis=1) == labels["category"]
    sentiments = judged["sentiment"][:, 2] - judged["sentiment"][:, 0]
    moods = np.array([SENTIMENTS.index(mood(sentiment)) for sentiment in sentiments])

    def by_language(hits: NDArray[np.bool_]) -> dict[Language, float]:
        return {
            language: float(hits[languages == place].mean())
            for place, language in enumerate(LANGUAGES)
        }

    return ClassReport(
        examples=len(languages),
        accuracy=by_language(right),
        category_accuracy={
            category: float(right[labels["category"] == place].mean())
            for place, category in enumerate(CATEGORIES)
        },
        sentiment_accuracy=by_language(moods == labels["sentiment"]),
        calibration_error=expected_calibration_error(judged["category"], labels["category"]),
        temperatures=temperatures,
    )
