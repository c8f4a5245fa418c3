"""The embedded classifier: what a message is about, in which language, and in which mood.

Two linear heads over hashed features, with a temperature for each language; the language is read by
a library (`adapters/brain/languages.py`).
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

import numpy as np

from adapters.brain.artifact import (
    MODEL_PATH,
    LinearHead,
    ModelInvalid,
    read_arrays,
    softmax,
    stored,
)
from adapters.brain.features import BUCKETS, RARITY_STEP, Floats, row_of
from adapters.brain.languages import read_language
from adapters.brain.safety_features import SAFETY_BUCKETS
from domain.agent.brain import Category, Language
from domain.agent.language import OURS

CATEGORIES: Final = tuple(Category)
# The order of a head's temperatures.
LANGUAGES: Final[tuple[Language, Language]] = ("en", "fr")
SENTIMENTS: Final = ("negative", "neutral", "positive")
# Each head and the number of its classes.
HEADS: Final = {"category": len(CATEGORIES), "sentiment": len(SENTIMENTS)}
_ARRAYS: Final = (
    *("categories", "rarities"),
    *(name for head in HEADS for name in (*LinearHead.arrays(head), f"{head}_temperatures")),
)


@dataclass(frozen=True, slots=True)
class Classification:
    """What the classifier makes of a text.

    `probabilities` holds every category, sums to 1 and is calibrated: of the messages given 0.8,
    about eight in ten are right. `language`: French or English, whichever is likelier;
    `language_probability` is that of `language` among the two, 0.5 to 1.
    `foreign`: the language of a text that is in neither, if it is known.
    `sentiment` is the probability of joy or thanks less that of anger or disappointment, -1 to 1.
    """

    category: Category
    probabilities: Mapping[Category, float]
    language: Language
    language_probability: float
    foreign: str | None
    sentiment: float

    @property
    def probability(self) -> float:
        """How sure the category is, 0 to 1."""
        return self.probabilities[self.category]


class Classifier:
    """Load once, share freely: it changes nothing after it is made."""

    def __init__(self, content: bytes) -> None:
        """`content`: the bytes of a model file. Raises `ModelInvalid`."""
        self.fingerprint: Final = hashlib.sha256(content).hexdigest()
        model = read_arrays(content, _ARRAYS)
        if model["categories"].tolist() != [str(category) for category in CATEGORIES]:
            raise ModelInvalid("the model knows other categories")
        rarities = stored(model["rarities"], np.uint8, (SAFETY_BUCKETS,))
        self._rarities = rarities[:BUCKETS] * RARITY_STEP
        self._heads = {
            name: LinearHead.read(model, name, classes, BUCKETS) for name, classes in HEADS.items()
        }
        self._temperatures = {
            name: _temperatures(stored(model[f"{name}_temperatures"], np.float64, (2,)))
            for name in HEADS
        }

    @classmethod
    def load(cls, path: Path | None = None) -> Self:
        """Read a model file (default: the one beside this module).

        Raises `OSError` if it cannot be read, `ModelInvalid` if it is none.
        """
        return cls((path or MODEL_PATH).read_bytes())

    def classify(self, text: str, languages: Sequence[str] = ()) -> Classification:
        """Any text, even an empty one, gets an answer; an empty one a nearly even spread.

        `languages`: those that the text is likely to be in.
        """
        read = read_language(text, languages)
        row = row_of(text, self._rarities)
        place = LANGUAGES.index(read.ours)
        shares, moods = (
            softmax(self._heads[name].logits(row) / self._temperatures[name][place])
            for name in HEADS
        )
        negative, _, positive = moods
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


def _temperatures(values: Floats) -> Floats:
    if not bool(((values > 0) & (values < np.inf)).all()):
        raise ModelInvalid("a temperature is not a positive number")
    return values
