"""The model files. They contain arrays produced by training, and are loaded without unpickling."""

import io
import zipfile
from collections.abc import Iterable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from adapters.brain.features import Floats

# Weights are stored as small multiples of this power of two, which keeps the file small. The same
# examples produce the same file everywhere because rounding removes last-digit differences between
# processors.
WEIGHT_STEP: Final = 1 / 32


class ModelInvalid(ValueError):
    """The model file was not written by this version of the code."""


def read_arrays(content: bytes, names: Iterable[str]) -> dict[str, NDArray[np.generic]]:
    """Return the arrays with these names from a model file. Raises ModelInvalid."""
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as archive:
            return {name: archive[name] for name in names}
    except (KeyError, ValueError, OSError, EOFError, zipfile.BadZipFile, TypeError) as error:
        raise ModelInvalid("not a model file") from error


def stored(array: NDArray[np.generic], kind: type[np.generic], shape: tuple[int, ...]) -> Floats:
    """Return a stored array as floats. Raises ModelInvalid if the array has an unexpected type or
    shape."""
    if array.shape != shape or array.dtype != kind:
        raise ModelInvalid(f"an array has shape {array.shape}, {shape} is needed")
    return array.astype(np.float64)
