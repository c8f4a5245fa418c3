"""The model files: arrays made by training and read without unpickling anything."""

import io
import zipfile
from collections.abc import Iterable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from adapters.brain.features import Floats

# Weights are kept as small multiples of a power of two: the file is small, and last-digit
# differences between processors vanish in the rounding, so the same examples give the same file.
WEIGHT_STEP: Final = 1 / 32


class ModelInvalid(ValueError):
    """The model file is no artifact of this version of the code."""


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
