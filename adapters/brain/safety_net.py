"""The safety net of two signals: the grammar, and what was learned from messages of such matters.

The grammar knows wordings. The model knows what such messages are like: it finds hints that the
grammar lacks, and look-alikes that only use its words. Its two heads are in the model file of the
classifier (`adapters/brain/artifact.py`).
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Final, Self

import numpy as np

from adapters.brain.artifact import MODEL_PATH, LinearHead, ModelInvalid, read_arrays, stored
from adapters.brain.features import RARITY_STEP
from adapters.brain.safety_features import SAFETY_BUCKETS, safety_row
from domain.agent.safety.net import says_own, sensitive_matter
from domain.agent.safety.sensitive import SensitiveMatter

# What can be learned: the merchant's own words cannot.
MATTERS: Final = tuple(matter for matter in SensitiveMatter if matter is not SensitiveMatter.OWN)
# A longer text says much besides, which hides from what was learned what one sentence of it says.
RELEASED_UP_TO: Final = 400
NEVER_RELEASED: Final = frozenset(
    {
        SensitiveMatter.HEALTH,
        SensitiveMatter.SELF_HARM,
        SensitiveMatter.MINORS,
        SensitiveMatter.THREAT,
    }
)
_ARRAYS: Final = (
    *("matters", "rarities", "threshold", "released"),
    *(*LinearHead.arrays("held"), *LinearHead.arrays("matter")),
)


class LearnedSafetyNet:
    """Load once, share freely: it changes nothing after it is made."""

    def __init__(self, content: bytes) -> None:
        """`content`: the bytes of a model file. Raises ModelInvalid."""
        model = read_arrays(content, _ARRAYS)
        if model["matters"].tolist() != [str(matter) for matter in MATTERS]:
            raise ModelInvalid("the model knows other matters")
        self._rarities = stored(model["rarities"], np.uint8, (SAFETY_BUCKETS,)) * RARITY_STEP
        self._held = LinearHead.read(model, "held", 1, SAFETY_BUCKETS)
        self._matters = LinearHead.read(model, "matter", len(MATTERS), SAFETY_BUCKETS)
        self._threshold = float(stored(model["threshold"], np.float64, ()))
        self._released = float(stored(model["released"], np.float64, ()))

    @classmethod
    def load(cls, path: Path | None = None) -> Self:
        """Read a model file (default: the one beside this module).

        Raises `OSError` if it cannot be read, `ModelInvalid` if it is none.
        """
        return cls((path or MODEL_PATH).read_bytes())

    def matter(self, text: str, own_words: Sequence[str] = ()) -> SensitiveMatter | None:
        """The grammar's matter, else the one learned, else the merchant's own.

        A short text that is nothing like such messages is let go although the grammar names a
        matter, but where somebody may come to harm.
        """
        named = sensitive_matter(text)
        row = safety_row(text, self._rarities)
        score = float(self._held.logits(row)[0])
        kept = named in NEVER_RELEASED or len(text) > RELEASED_UP_TO or score > self._released
        if named is not None and kept:
            return named
        if named is None and score > self._threshold:
            return MATTERS[int(np.argmax(self._matters.logits(row)))]
        return SensitiveMatter.OWN if says_own(text, own_words) else None
