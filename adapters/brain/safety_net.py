"""The safety net, which detects sensitive messages with a grammar and a trained model.

The grammar matches exact wordings. The model catches sensitive messages that the grammar misses,
and recognizes harmless messages that use the same words. `python -m training.train_safety` writes
the model's weights to `safety.npz`.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Final, Self

import numpy as np

from adapters.brain.artifact import WEIGHT_STEP, ModelInvalid, read_arrays, stored
from adapters.brain.features import RARITY_STEP
from adapters.brain.safety_features import SAFETY_BUCKETS, safety_row
from domain.agent.safety.net import says_own, sensitive_matter
from domain.agent.safety.sensitive import SensitiveMatter

SAFETY_MODEL_PATH: Final = Path(__file__).with_name("safety.npz")
# The sensitive topics that the model can learn. The topic of the merchant's own words is not among
# them.
MATTERS: Final = tuple(matter for matter in SensitiveMatter if matter is not SensitiveMatter.OWN)
# Maximum length of a text that the model may classify as harmless when the grammar detects a topic.
# In a longer text, the model may miss a sensitive sentence among other sentences.
RELEASED_UP_TO: Final = 400
_OF_HARM: Final = frozenset(
    {
        SensitiveMatter.HEALTH,
        SensitiveMatter.SELF_HARM,
        SensitiveMatter.MINORS,
        SensitiveMatter.THREAT,
    }
)
_ARRAYS: Final = (
    *("matters", "rarities", "threshold", "released"),
    *("held_weights", "held_bias", "matter_weights", "matter_bias"),
)


class LearnedSafetyNet:
    """The safety net with a trained model. Load it once and share it, because it is immutable."""

    def __init__(self, content: bytes) -> None:
        """Load the safety net from the bytes of a model file. Raises ModelInvalid."""
        model = read_arrays(content, _ARRAYS)
        if model["matters"].tolist() != [str(matter) for matter in MATTERS]:
            raise ModelInvalid("the model knows other matters")
        self._rarities = stored(model["rarities"], np.uint8, (SAFETY_BUCKETS,)) * RARITY_STEP
        self._held = stored(model["held_weights"], np.int8, (SAFETY_BUCKETS,)) * WEIGHT_STEP
        self._held_bias = float(stored(model["held_bias"], np.int8, ())) * WEIGHT_STEP
        self._threshold = float(stored(model["threshold"], np.float64, ()))
        self._released = float(stored(model["released"], np.float64, ()))
        matters = stored(model["matter_weights"], np.int8, (len(MATTERS), SAFETY_BUCKETS))
        self._matters = np.ascontiguousarray(matters.T) * WEIGHT_STEP
        self._matters_bias = stored(model["matter_bias"], np.int8, (len(MATTERS),)) * WEIGHT_STEP

    @classmethod
    def load(cls, path: Path | None = None) -> Self:
        """Load the safety net from a model file (default: the file next to this module).

        Raises `OSError` if the file cannot be read, and `ModelInvalid` if it is not a model file.
        """
        return cls((path or SAFETY_MODEL_PATH).read_bytes())

    def matter(self, text: str, own_words: Sequence[str] = ()) -> SensitiveMatter | None:
        """Return the sensitive topic of a text, or None, from the grammar, the model, or the
        merchant's words.

        The model can declare a short text harmless, except for topics that involve harm to people.
        """
        named = sensitive_matter(text)
        row = safety_row(text, self._rarities)
        score = float(row.values @ self._held[row.buckets] + self._held_bias)
        kept = named in _OF_HARM or len(text) > RELEASED_UP_TO or score > self._released
        if named is not None and kept:
            return named
        if named is None and score > self._threshold:
            scores = row.values @ self._matters[row.buckets] + self._matters_bias
            return MATTERS[int(np.argmax(scores))]
        return SensitiveMatter.OWN if says_own(text, own_words) else None
