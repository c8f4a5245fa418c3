"""The safety net of two signals: the grammar, and what was learned from messages of such matters.

The grammar knows wordings, whoever learned knows what such messages are like: it finds hints that
nobody has put into words yet. Either of them holds a message. The weights are arrays made by
`python -m training.train_safety` and kept in `safety.npz` beside this module.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Final, Self

import numpy as np

from adapters.brain.artifact import WEIGHT_STEP, ModelInvalid, read_arrays, stored
from adapters.brain.features import BUCKETS, RARITY_STEP, row_of
from domain.agent.safety.net import sensitive_matter
from domain.agent.safety.sensitive import SensitiveMatter

SAFETY_MODEL_PATH: Final = Path(__file__).with_name("safety.npz")
# What can be learned: the merchant's own words cannot.
MATTERS: Final = tuple(matter for matter in SensitiveMatter if matter is not SensitiveMatter.OWN)
_ARRAYS: Final = (
    *("matters", "rarities", "threshold"),
    *("held_weights", "held_bias", "matter_weights", "matter_bias"),
)


class LearnedSafetyNet:
    """Load once, share freely: it changes nothing after it is made."""

    def __init__(self, content: bytes) -> None:
        """`content`: the bytes of a model file. Raises ModelInvalid."""
        model = read_arrays(content, _ARRAYS)
        if model["matters"].tolist() != [str(matter) for matter in MATTERS]:
            raise ModelInvalid("the model knows other matters")
        self._rarities = stored(model["rarities"], np.uint8, (BUCKETS,)) * RARITY_STEP
        self._held = stored(model["held_weights"], np.int8, (BUCKETS,)) * WEIGHT_STEP
        self._held_bias = float(stored(model["held_bias"], np.int8, ())) * WEIGHT_STEP
        self._threshold = float(stored(model["threshold"], np.float64, ()))
        matters = stored(model["matter_weights"], np.int8, (len(MATTERS), BUCKETS))
        self._matters = np.ascontiguousarray(matters.T) * WEIGHT_STEP
        self._matters_bias = stored(model["matter_bias"], np.int8, (len(MATTERS),)) * WEIGHT_STEP

    @classmethod
    def load(cls, path: Path | None = None) -> Self:
        """Read a model file (default: the one beside this module).

        Raises `OSError` if it cannot be read, `ModelInvalid` if it is none.
        """
        return cls((path or SAFETY_MODEL_PATH).read_bytes())

    def matter(self, text: str, own_words: Sequence[str] = ()) -> SensitiveMatter | None:
        """The grammar's matter, else the one learned, else the merchant's own."""
        found = sensitive_matter(text, own_words)
        if found not in (None, SensitiveMatter.OWN):
            return found
        return self.learned(text) or found

    def learned(self, text: str) -> SensitiveMatter | None:
        """The matter that a text is like, without the grammar. Reads 2,000 characters."""
        row = row_of(text, self._rarities)
        if row.values @ self._held[row.buckets] + self._held_bias <= self._threshold:
            return None
        scores = row.values @ self._matters[row.buckets] + self._matters_bias
        return MATTERS[int(np.argmax(scores))]
