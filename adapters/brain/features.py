"""What the classifier counts in a text: its words, its spellings and what its words mean.

The model was trained on exactly these counts: a change here needs `python -m training.train`.
"""

import re
import unicodedata
from collections.abc import Sequence
from itertools import combinations, pairwise
from typing import Final, cast

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, hstack
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.preprocessing import normalize

from adapters.brain.concepts import concepts
from domain.mail_text import latest_reply

Floats = NDArray[np.float64]

WORD_BUCKETS: Final = 2**16
CHARACTER_BUCKETS: Final = 2**17
CONCEPT_BUCKETS: Final = 2**13
BUCKETS: Final = WORD_BUCKETS + CHARACTER_BUCKETS + CONCEPT_BUCKETS
READ_CHARACTERS: Final = 2_000
# Rarities are kept as multiples of this, one byte each.
RARITY_STEP: Final = 1 / 16
# The length of each third of a row. Equal shares served best in cross-validation.
_SHARE: Final = 1.5

_LIGATURES: Final = str.maketrans({"œ": "oe", "Œ": "oe", "æ": "ae", "Æ": "ae", "ß": "ss"})
_NOT_ASCII: Final = re.compile(r"[^\x00-\x7f]+")
_LINK: Final = re.compile(r"(?:https?://|www\.)\S+")
_MAIL_ADDRESS: Final = re.compile(r"[\w.+-]{1,64}@[\w.-]+")
_NUMBER: Final = re.compile(r"\d+")
_WORD: Final = re.compile(r"[a-z0-9]+")
_CLAUSE_END: Final = re.compile(r"([.!?\n,;:]+)")
# A line of its own: below it stand a name, a street, a telephone number.
_CLOSING: Final = re.compile(
    r"^[ \t]*(?:(?:bien|tres) )?(?:cordialement|cdt|cdlt|salutations|bien a vous|amicalement"
    r"|respectueusement|sinceres salutations|(?:kind|best|warm) regards|regards|best wishes"
    r"|(?:yours )?(?:sincerely|faithfully|truly)|all the best|cheers)[ ,.!]*$",
    re.MULTILINE,
)


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
    """Counts texts into rows of `BUCKETS` numbers. No vocabulary to keep or leak."""

    def __init__(self) -> None:
        self._parts: Final = (
            HashingVectorizer(
                n_features=WORD_BUCKETS,
                ngram_range=(1, 2),
                lowercase=False,
                token_pattern=r"[a-z0-9]+|[?!]",  # noqa: S106 - these tokens are words
                preprocessor=_with_clauses,
                alternate_sign=False,
                norm=None,
            ),
            HashingVectorizer(
                n_features=CHARACTER_BUCKETS,
                analyzer="char_wb",
                ngram_range=(3, 5),
                lowercase=False,
                alternate_sign=False,
                norm=None,
            ),
            HashingVectorizer(
                n_features=CONCEPT_BUCKETS, analyzer=_meanings, alternate_sign=False, norm=None
            ),
        )

    def rarities(self, texts: Sequence[str]) -> Floats:
        """How rare each bucket is in these texts: 1 for what all have, to about 9.

        Inverse document frequency, in whole steps of `RARITY_STEP`.
        """
        counts = hstack(self._counts(texts), format="csr")
        seen = np.bincount(counts.indices, minlength=BUCKETS)
        rarity = np.log((1 + len(texts)) / (1 + seen)) + 1
        return cast("Floats", np.rint(rarity / RARITY_STEP) * RARITY_STEP)

    def rows(self, texts: Sequence[str], rarities: Floats) -> csr_matrix:
        """One row a text, of shape (len(texts), BUCKETS); what is rare weighs more.

        Words, spellings and meanings have the same length each, however long the text is.
        """
        parts = []
        start = 0
        for counts in self._counts(texts):
            counts.data *= rarities[start + counts.indices]
            parts.append(_SHARE * normalize(counts))
            start += counts.shape[1]
        return cast("csr_matrix", hstack(parts, format="csr"))

    def _counts(self, texts: Sequence[str]) -> list[csr_matrix]:
        prepared = [_prepare(text) for text in texts]
        return [part.transform(prepared) for part in self._parts]


def _prepare(text: str) -> str:
    """What is counted: no quotes and signatures; one number, link or address is like another."""
    folded = fold(latest_reply(text[:READ_CHARACTERS]))
    closing = _CLOSING.search(folded)
    if closing and folded[: closing.start()].strip():
        folded = folded[: closing.start()]
    return _NUMBER.sub("0", _MAIL_ADDRESS.sub(" zmail ", _LINK.sub(" zlink ", folded)))


def _with_clauses(prepared: str) -> str:
    """The text with a mark where a clause starts: "is it …" asks, "… it is" does not."""
    return "zstart " + _CLAUSE_END.sub(r"\1 zstart ", prepared)


def _meanings(prepared: str) -> list[str]:
    """The concepts of a text, those next to each other, and all that stand together."""
    found = [concept for word in words(prepared) for concept in concepts(word)]
    beside = [f"{one} {other}" for one, other in pairwise(found)]
    together = [f"{one}+{other}" for one, other in combinations(sorted(set(found)), 2)]
    return found + beside + together
