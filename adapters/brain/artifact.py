"""The model file: the arrays of all heads, made by `python -m training`, never unpickled."""

import io
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self, cast

import numpy as np
from numpy.typing import NDArray

from adapters.brain.features import FeatureRow, Floats

MODEL_PATH: Final = Path(__file__).with_name("model.npz")
# Weights are kept as small multiples of a power of two: the file is small, and last-digit
# differences between processors vanish in the rounding, so the same examples give the same file.
WEIGHT_STEP: Final = 1 / 32


class ModelInvalid(ValueError):
    """The model file is no artifact of this version of the code."""


@dataclass(frozen=True, slots=True)
class LinearHead:
    """One question put to a row. `weights` has shape (buckets, classes): a message touches a few
    hundred rows of it, which are then contiguous."""

    weights: Floats
    bias: Floats

    @classmethod
    def read(
        cls, model: Mapping[str, NDArray[np.generic]], name: str, classes: int, buckets: int
    ) -> Self:
        """Raises ModelInvalid."""
        weights = stored(model[f"{name}_weights"], np.int8, (classes, buckets))
        bias = stored(model[f"{name}_bias"], np.int8, (classes,))
        return cls(np.ascontiguousarray(weights.T) * WEIGHT_STEP, bias * WEIGHT_STEP)

    @staticmethod
    def arrays(name: str) -> tuple[str, str]:
        """The names of its arrays in the file."""
        return f"{name}_weights", f"{name}_bias"

    def logits(self, row: FeatureRow) -> Floats:
        return row.values @ self.weights[row.buckets] + self.bias


def read_arrays(content: bytes, names: Iterable[str]) -> dict[str, NDArray[np.generic]]:
    """The arrays of these names. Raises ModelInvalid."""
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as archive:
            return {name: archive[name] for name in names}
    except (KeyError, ValueError, OSError, EOFError, zipfile.BadZipFile, TypeError) as error:
        raise ModelInvalid("not a model file") from error


def stored(array: NDArray[np.generic], kind: type[np.generic], shape: tuple[int, ...]) -> Floats:
    """An array of that kind and shape, as floats. Raises ModelInvalid for another."""
    if array.shape != shape or array.dtype != kind:
        raise ModelInvalid(f"an array has shape {array.shape}, {shape} is needed")
    return array.astype(np.float64)


def softmax(logits: Floats) -> Floats:
    """Probabilities from logits, along the last axis."""
    powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return cast("Floats", powers / powers.sum(axis=-1, keepdims=True))
