"""The embedded classifier, which returns a message's category, language and sentiment.

It consists of two linear heads over hashed features, and a language detection library
(`adapters/brain/languages.py`). `python -m training.train` writes the weights, `model.npz`, as
arrays. Nothing is unpickled.
"""

import copy
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self, cast

import numpy as np
from numpy.typing import NDArray

from adapters.brain.artifact import WEIGHT_STEP, ModelInvalid, read_arrays, stored
from adapters.brain.features import BUCKETS, RARITY_STEP, FeatureRow, Floats, row_of
from adapters.brain.languages import read_language
from adapters.brain.own_head import OwnWeights
from domain.agent.brain import Category, Language
from domain.agent.languages import OURS
from domain.agent.own_head import OwnHead

CATEGORIES: Final = tuple(Category)
SENTIMENTS: Final = ("negative", "neutral", "positive")
# The number of classes of each classifier head.
HEADS: Final = {"category": len(CATEGORIES), "sentiment": len(SENTIMENTS)}
MODEL_PATH: Final = Path(__file__).with_name("model.npz")
_ARRAYS: Final = (
    *("categories", "rarities"),
    *(f"{head}_{part}" for head in HEADS for part in ("weights", "bias", "temperature")),
)


@dataclass(frozen=True, slots=True)
class Classification:
    """The classifier's result for a text.

    - `probabilities`: all categories, calibrated. Of the messages with a probability of 0.8, about
      eight in ten are correct.
    - `language`: French or English, whichever is more probable.
    - `language_probability`: the probability of that language rather than the other, from 0.5 to 1.
    - `foreign`: the detected language if the text is neither French nor English, or None.
    - `sentiment`: the probability of joy or thanks minus that of anger or disappointment.
    """

    category: Category
    probabilities: Mapping[Category, float]
    language: Language
    language_probability: float
    foreign: str | None
    sentiment: float

    @property
    def probability(self) -> float:
        """The probability of the category, from 0 to 1."""
        return self.probabilities[self.category]


class Classifier:
    """The message classifier. Load it once and share it, because it is immutable."""

    def __init__(self, content: bytes) -> None:
        """Load the classifier from the bytes of a model file. Raises `ModelInvalid`."""
        self.fingerprint: Final = hashlib.sha256(content).hexdigest()
        model = read_arrays(content, _ARRAYS)
        if model["categories"].tolist() != [str(category) for category in CATEGORIES]:
            raise ModelInvalid("the model knows other categories")
        self._rarities = stored(model["rarities"], np.uint8, (BUCKETS,)) * RARITY_STEP
        self._heads = {name: _Head.read(model, name) for name in HEADS}
        self.name = f"embedded:{self.fingerprint[:8]}"
        self._own: OwnWeights | None = None

    @classmethod
    def load(cls, path: Path | None = None) -> Self:
        """Load the classifier from a model file (default: the file next to this module).

        Raises `OSError` if the file cannot be read, and `ModelInvalid` if it is not a model file.
        """
        return cls((path or MODEL_PATH).read_bytes())

    def taught(self, head: OwnHead) -> Self:
        """Return a copy of this classifier that uses a client's own classifier head for the
        category.

        Raises ModelInvalid if the head was trained for another classifier or cannot be read.
        """
        if head.model != self.fingerprint:
            raise ModelInvalid("the head was fitted to another classifier")
        other = copy.copy(self)
        other._own = OwnWeights.read(head.weights, len(CATEGORIES))  # noqa: SLF001 - a copy of self
        other.name = f"{self.name}+own:{head.version[-8:]}"
        return other

    def row(self, text: str) -> FeatureRow:
        """Return the text's features. Raises OverBudget if the text is too expensive to process."""
        return row_of(text, self._rarities)

    def shared_logits(self, row: FeatureRow) -> Floats:
        """Return the category logits of the classifier head that all clients share."""
        return self._heads["category"].logits(row)

    def classify(self, text: str, languages: Sequence[str] = ()) -> Classification:
        """Return the classification of any text. For an empty text, all probabilities are nearly
        equal. `languages` are the text's likely languages."""
        read = read_language(text, languages)
        row = self.row(text)
        logits = self.shared_logits(row)
        shares = softmax(self._own.logits(row, logits) if self._own else logits)
        negative, _, positive = softmax(self._heads["sentiment"].logits(row))
        return Classification(
            category=CATEGORIES[int(np.argmax(shares))],
            probabilities={
                category: float(share) for category, share in zip(CATEGORIES, shares, strict=True)
            },
            language=read.ours,
            language_probability=read.ours_probability,
            foreign=None if read.known in OURS else read.known,
            sentiment=float(positive - negative),
        )


@dataclass(frozen=True, slots=True)
class _Head:
    """A linear classifier over hashed features. `weights` has the shape (buckets, classes), so that
    each of the few hundred rows that a message uses is contiguous."""

    weights: Floats
    bias: Floats
    temperature: float

    @classmethod
    def read(cls, model: Mapping[str, NDArray[np.generic]], name: str) -> Self:
        classes = HEADS[name]
        weights = stored(model[f"{name}_weights"], np.int8, (classes, BUCKETS))
        bias = stored(model[f"{name}_bias"], np.int8, (classes,))
        temperature = float(stored(model[f"{name}_temperature"], np.float64, ()))
        if not 0 < temperature < np.inf:
            raise ModelInvalid("a temperature is not a positive number")
        return cls(np.ascontiguousarray(weights.T) * WEIGHT_STEP, bias * WEIGHT_STEP, temperature)

    def logits(self, row: FeatureRow) -> Floats:
        """Return the classifier head's logits for a feature row, divided by the temperature."""
        return (row.values @ self.weights[row.buckets] + self.bias) / self.temperature


def softmax(logits: Floats) -> Floats:
    """Return probabilities from logits, along the last axis."""
    powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return cast("Floats", powers / powers.sum(axis=-1, keepdims=True))
