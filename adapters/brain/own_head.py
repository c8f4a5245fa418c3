"""A client's own head in use: logits that are added to those of the shared head.

It is kept in numbers alone, of features folded together: no word of a ticket can be read from it.
"""

from dataclasses import dataclass
from typing import Final, Self

import numpy as np

from adapters.brain.artifact import ModelInvalid
from adapters.brain.features import FeatureRow, Floats, Numbers

DIMENSIONS: Final = 4096
"""The buckets of a row are folded into so many, with signs that keep the distances on average."""

# Knuth's multiplicative hash: the buckets of one word and its neighbours are spread.
_MULTIPLIER: Final = 2654435761
_NUMBER: Final = np.dtype("<f4")
_WEIGHT_LEVELS: Final = 127


@dataclass(frozen=True, slots=True)
class OwnWeights:
    """`weights` has shape (DIMENSIONS, classes)."""

    weights: Floats
    bias: Floats
    temperature: float

    @classmethod
    def read(cls, content: bytes, classes: int) -> Self:
        """Read what `written` wrote. Raises ModelInvalid."""
        scalars = (2 * classes + 1) * _NUMBER.itemsize
        if len(content) != scalars + DIMENSIONS * classes:
            raise ModelInvalid("not a head of so many classes")
        numbers = np.frombuffer(content[:scalars], _NUMBER).astype(np.float64)
        temperature = float(numbers[-1])
        if not np.isfinite(numbers).all() or temperature <= 0:
            raise ModelInvalid("a head has no usable numbers")
        levels = np.frombuffer(content[scalars:], np.int8).reshape(DIMENSIONS, classes)
        return cls(levels * numbers[:classes], numbers[classes:-1], temperature)

    def written(self) -> bytes:
        """One byte a weight, with a step for each class: under 50 KB."""
        steps = np.maximum(np.abs(self.weights).max(axis=0), 1e-9) / _WEIGHT_LEVELS
        numbers = np.concatenate([steps, self.bias, [self.temperature]]).astype(_NUMBER)
        levels = np.rint(self.weights / steps).astype(np.int8)
        return b"".join((numbers.tobytes(), levels.tobytes()))

    def logits(self, row: FeatureRow, shared: Floats) -> Floats:
        """`shared`: the logits of the shared head, at its temperature."""
        places, signs = _folded(row.buckets)
        own = (signs * row.values) @ self.weights[places] + self.bias
        return (shared + own) / self.temperature


def folded(row: FeatureRow) -> Floats:
    """The row in `DIMENSIONS` numbers."""
    places, signs = _folded(row.buckets)
    values = np.zeros(DIMENSIONS)
    np.add.at(values, places, signs * row.values)
    return values


def _folded(buckets: Numbers) -> tuple[Numbers, Floats]:
    """Where each bucket goes, and with which sign."""
    mixed = (buckets * _MULTIPLIER) % 2**32
    return mixed >> 20, np.where((mixed >> 13) & 1, 1.0, -1.0)
