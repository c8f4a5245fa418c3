"""A client's own classifier head, which adds its logits to the logits of the shared head.

Each weight belongs to several folded features, so a ticket's words cannot be reconstructed.
"""

from dataclasses import dataclass
from typing import Final, Self

import numpy as np

from adapters.brain.artifact import ModelInvalid
from adapters.brain.features import FeatureRow, Floats, Numbers

DIMENSIONS: Final = 4096
"""Number of buckets after folding. Random signs preserve the distances between rows on average."""

# The multiplier of Knuth's multiplicative hash, which spreads adjacent buckets.
_MULTIPLIER: Final = 2654435761
_NUMBER: Final = np.dtype("<f4")
_WEIGHT_LEVELS: Final = 127


@dataclass(frozen=True, slots=True)
class OwnWeights:
    """The parameters of a client's own classifier head. `weights` has the shape (DIMENSIONS,
    classes)."""

    weights: Floats
    bias: Floats
    temperature: float

    @classmethod
    def read(cls, content: bytes, classes: int) -> Self:
        """Return the head from the bytes that `written` returned. Raises ModelInvalid."""
        scalars = (2 * classes + 1) * _NUMBER.itemsize
        if len(content) != scalars + DIMENSIONS * classes:
            raise ModelInvalid("the size of the head does not match the number of classes")
        numbers = np.frombuffer(content[:scalars], _NUMBER).astype(np.float64)
        temperature = float(numbers[-1])
        if not np.isfinite(numbers).all() or temperature <= 0:
            raise ModelInvalid("a number of the head is not usable")
        levels = np.frombuffer(content[scalars:], np.int8).reshape(DIMENSIONS, classes)
        return cls(levels * numbers[:classes], numbers[classes:-1], temperature)

    def written(self) -> bytes:
        """Return the head as bytes: one byte per weight, in steps that differ by class. The bytes
        must be small because the database table limits their size."""
        steps = np.maximum(np.abs(self.weights).max(axis=0), 1e-9) / _WEIGHT_LEVELS
        numbers = np.concatenate([steps, self.bias, [self.temperature]]).astype(_NUMBER)
        levels = np.rint(self.weights / steps).astype(np.int8)
        return b"".join((numbers.tobytes(), levels.tobytes()))

    def logits(self, row: FeatureRow, shared: Floats) -> Floats:
        """Return the sum of both heads' logits, divided by the temperature. `shared` are the shared
        head's logits, already divided by that head's temperature."""
        places, signs = _folded(row.buckets)
        own = (signs * row.values) @ self.weights[places] + self.bias
        return (shared + own) / self.temperature


def folded(row: FeatureRow) -> Floats:
    """Return the feature row as `DIMENSIONS` numbers."""
    places, signs = _folded(row.buckets)
    values = np.zeros(DIMENSIONS)
    np.add.at(values, places, signs * row.values)
    return values


def _folded(buckets: Numbers) -> tuple[Numbers, Floats]:
    """Return the folded position of each bucket, and its sign."""
    mixed = (buckets * _MULTIPLIER) % 2**32
    return mixed >> 20, np.where((mixed >> 13) & 1, 1.0, -1.0)
