"""The embedded classifier: what a message is about, and in which of the two languages.

Two linear heads over hashed word and character n-grams. The weights are arrays made by
`python -m training.train` and kept in `model.npz` beside this module; nothing is unpickled.
"""

import hashlib
import io
import re
import unicodedata
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self, cast

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, hstack
from sklearn.feature_extraction.text import HashingVectorizer

from domain.brain import Category, Language

Floats = NDArray[np.float64]

CATEGORIES: Final = tuple(Category)
LANGUAGES: Final[tuple[Language, Language]] = ("en", "fr")
WORD_BUCKETS: Final = 2**15
CHARACTER_BUCKETS: Final = 2**16
BUCKETS: Final = WORD_BUCKETS + CHARACTER_BUCKETS
READ_CHARACTERS: Final = 2_000
# Spellings tell more than whole words in short messages full of typos.
CHARACTER_SHARE: Final = 1.5
# Weights are kept as small multiples of a power of two: the file is small, and last-digit
# differences between processors vanish in the rounding, so the same examples give the same file.
WEIGHT_STEP: Final = 1 / 16
MODEL_PATH: Final = Path(__file__).with_name("model.npz")

_LIGATURES: Final = str.maketrans({"œ": "oe", "Œ": "oe", "æ": "ae", "Æ": "ae", "ß": "ss"})
_NOT_ASCII: Final = re.compile(r"[^\x00-\x7f]+")
_LINK: Final = re.compile(r"(?:https?://|www\.)\S+")
_MAIL_ADDRESS: Final = re.compile(r"[\w.+-]{1,64}@[\w.-]+")
_NUMBER: Final = re.compile(r"\d+")
_WORD: Final = re.compile(r"[a-z0-9]+")


class ModelInvalid(ValueError):
    """The model file is no artifact of this version of the classifier."""


@dataclass(frozen=True, slots=True)
class Classification:
    """What the classifier makes of a text.

    `probabilities` holds every category, sums to 1 and is calibrated: of the messages given 0.8,
    about eight in ten are right. `language_probability` is that of `language`, 0.5 to 1.
    """

    category: Category
    probabilities: Mapping[Category, float]
    language: Language
    language_probability: float


def fold(text: str) -> str:
    """The text in lower-case ASCII: accents dropped, anything else outside ASCII a space.

    Reads at most `READ_CHARACTERS` characters; the result is no longer than that. Not the search's
    `domain.text.fold`: the model was trained on exactly this, it may not follow another's changes.
    """
    plain = unicodedata.normalize("NFKD", text[:READ_CHARACTERS].translate(_LIGATURES))
    bare = "".join(mark for mark in plain if not unicodedata.combining(mark))
    return _NOT_ASCII.sub(" ", bare).lower()[:READ_CHARACTERS]


def words(folded: str) -> list[str]:
    """The words and numbers of a folded text, in order."""
    return _WORD.findall(folded)


class Featurizer:
    """Turns texts into rows of `BUCKETS` numbers. Stateless: no vocabulary to keep or leak."""

    def __init__(self) -> None:
        self._words = HashingVectorizer(
            n_features=WORD_BUCKETS,
            ngram_range=(1, 2),
            lowercase=False,
            token_pattern=r"[a-z0-9]+|[?!]",  # noqa: S106 - these tokens are words
            alternate_sign=False,
        )
        self._characters = HashingVectorizer(
            n_features=CHARACTER_BUCKETS,
            analyzer="char_wb",
            ngram_range=(3, 5),
            lowercase=False,
            alternate_sign=False,
        )

    def rows(self, texts: Sequence[str]) -> csr_matrix:
        """One row a text, of shape (len(texts), BUCKETS); the words' half has unit length."""
        prepared = [_prepare(text) for text in texts]
        halves = [
            self._words.transform(prepared),
            CHARACTER_SHARE * self._characters.transform(prepared),
        ]
        return cast("csr_matrix", hstack(halves, format="csr"))


class Classifier:
    """Load once, share freely: it changes nothing after it is made."""

    def __init__(self, content: bytes) -> None:
        """`content`: the bytes of a model file. Raises `ModelInvalid`."""
        self.fingerprint: Final = hashlib.sha256(content).hexdigest()
        model = _read_arrays(content)
        # Buckets first: a message touches a few hundred rows, which are then contiguous.
        self._weights = _scaled(model["category_weights"], (len(CATEGORIES), BUCKETS))
        self._bias = _scaled(model["category_bias"], (len(CATEGORIES),))
        self._language_weights = _scaled(model["language_weights"], (BUCKETS,))
        self._language_bias = _scaled(model["language_bias"], (1,))
        self._temperature, self._language_temperature = _temperatures(model["temperatures"])
        if model["categories"].tolist() != [str(category) for category in CATEGORIES]:
            raise ModelInvalid("the model knows other categories")
        self._featurizer = Featurizer()

    @classmethod
    def load(cls, path: Path | None = None) -> Self:
        """Read a model file (default: the one beside this module).

        Raises `OSError` if it cannot be read, `ModelInvalid` if it is none.
        """
        return cls((path or MODEL_PATH).read_bytes())

    def classify(self, text: str) -> Classification:
        """Any text, even an empty one, gets an answer; an empty one a nearly even spread."""
        row = self._featurizer.rows([text])
        logits = row.data @ self._weights[row.indices] + self._bias
        shares = softmax(logits / self._temperature)
        score = float(row.data @ self._language_weights[row.indices] + self._language_bias[0])
        french = _sigmoid(score / self._language_temperature)
        return Classification(
            category=CATEGORIES[int(np.argmax(shares))],
            probabilities={
                category: float(share) for category, share in zip(CATEGORIES, shares, strict=True)
            },
            language="fr" if french > 0.5 else "en",
            language_probability=max(french, 1 - french),
        )


def softmax(logits: Floats) -> Floats:
    """Probabilities from logits, along the last axis."""
    powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return cast("Floats", powers / powers.sum(axis=-1, keepdims=True))


def _sigmoid(score: float) -> float:
    return float(1 / (1 + np.exp(-np.clip(score, -30, 30))))


def _prepare(text: str) -> str:
    """What is hashed: one order number, link or address says the same as any other."""
    folded = _LINK.sub(" zlink ", fold(text))
    return _NUMBER.sub("0", _MAIL_ADDRESS.sub(" zmail ", folded))


def _read_arrays(content: bytes) -> dict[str, NDArray[np.generic]]:
    names = (
        "categories",
        "category_weights",
        "category_bias",
        "language_weights",
        "language_bias",
        "temperatures",
    )
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as archive:
            return {name: archive[name] for name in names}
    except (KeyError, ValueError, OSError, EOFError, zipfile.BadZipFile, TypeError) as error:
        raise ModelInvalid("not a model file") from error


def _scaled(stored: NDArray[np.generic], shape: tuple[int, ...]) -> Floats:
    if stored.shape != shape or stored.dtype != np.int8:
        raise ModelInvalid(f"an array has shape {stored.shape}, {shape} is needed")
    return np.ascontiguousarray(stored.T, dtype=np.float64) * WEIGHT_STEP


def _temperatures(stored: NDArray[np.generic]) -> tuple[float, float]:
    if stored.shape != (2,) or stored.dtype != np.float64:
        raise ModelInvalid("the model has no temperatures")
    category, language = (float(value) for value in stored.tolist())
    if not (0 < category < np.inf and 0 < language < np.inf):
        raise ModelInvalid("a temperature is not a positive number")
    return category, language
