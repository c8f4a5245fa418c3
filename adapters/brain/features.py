"""The features of a text that every head of the model reads: its words and its spellings.

The model was trained on exactly these counts: a change here needs `python -m training`.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import mmh3
import numpy as np
from numpy.typing import NDArray

from domain.core.effort import spend
from domain.core.text import without_marks
from domain.intake.mail_text import latest_reply

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]

WORD_BUCKETS: Final = 2**16
CHARACTER_BUCKETS: Final = 2**17
BUCKETS: Final = WORD_BUCKETS + CHARACTER_BUCKETS
READ_CHARACTERS: Final = 2_000
# Rarities are kept as multiples of this, one byte each.
RARITY_STEP: Final = 1 / 16
# The length of each half of a row.
_SHARE: Final = 2.0

_LIGATURES: Final = str.maketrans({"œ": "oe", "Œ": "oe", "æ": "ae", "Æ": "ae", "ß": "ss"})
_NOT_ASCII: Final = re.compile(r"[^\x00-\x7f]+")
_LINK: Final = re.compile(r"(?:https?://|www\.)\S+")
_MAIL_ADDRESS: Final = re.compile(r"[\w.+-]{1,64}@[\w.-]+")
_NUMBER: Final = re.compile(r"\d+")
_WORD: Final = re.compile(r"[a-z0-9]+")
_SAID: Final = re.compile(r"[a-z0-9]+|[?!]")
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
    `domain.core.text.fold`: the model was trained on exactly this, and must not follow another's
    changes.
    """
    read = text[:READ_CHARACTERS]
    spend(len(read))
    if read.isascii():
        return read.lower()
    bare = without_marks(unicodedata.normalize("NFKD", read.translate(_LIGATURES)))
    return _NOT_ASCII.sub(" ", bare).lower()[:READ_CHARACTERS]


def words(folded: str) -> list[str]:
    """The words and numbers of a folded text, in order."""
    return _WORD.findall(folded)


@dataclass(frozen=True, slots=True)
class FeatureRow:
    """One text as the model sees it: the buckets it fills, each once, and how much of each."""

    buckets: Numbers
    values: Floats


def rarities_of(texts: Sequence[str]) -> Floats:
    """How rare each bucket is in these texts: 1 for what all have, to about 9.

    Inverse document frequency, in whole steps of `RARITY_STEP`.
    """
    seen = np.zeros(BUCKETS)
    for text in texts:
        for buckets, _ in _counted(text):
            seen[buckets] += 1
    rarity = np.log((1 + len(texts)) / (1 + seen)) + 1
    return np.rint(rarity / RARITY_STEP) * RARITY_STEP


def row_of(text: str, rarities: Floats) -> FeatureRow:
    """What is rare weighs more. Words and spellings have the same length each, however long the
    text is."""
    places: list[Numbers] = []
    weights: list[Floats] = []
    for buckets, counts in _counted(text):
        weighed = counts * rarities[buckets]
        places.append(buckets)
        weights.append(_SHARE * weighed / max(float(np.sqrt(weighed @ weighed)), 1e-12))
    return FeatureRow(np.concatenate(places), np.concatenate(weights))


def _counted(text: str) -> Iterator[tuple[Numbers, Floats]]:
    """For words and spellings: the buckets filled, in order, and how often."""
    prepared = _prepare(text)
    start = 0
    parts: tuple[tuple[Callable[[str], list[str]], int], ...] = (
        (phrases, WORD_BUCKETS),
        (spellings, CHARACTER_BUCKETS),
    )
    for analyze, size in parts:
        # Sizes are powers of two: the mask is the remainder.
        counts = Counter(start + (bucket_hash(token) & (size - 1)) for token in analyze(prepared))
        places = sorted(counts)
        yield (
            np.array(places, dtype=np.int64),
            np.array([counts[place] for place in places], dtype=np.float64),
        )
        start += size


def bucket_hash(token: str) -> int:
    """MurmurHash3 of the token, 0 to 2**32 - 1."""
    return mmh3.hash(token, signed=False)


def _prepare(text: str) -> str:
    """What is counted: no quotes and signatures; one number, link or address is like another."""
    folded = fold(latest_reply(text[:READ_CHARACTERS]))
    closing = _CLOSING.search(folded)
    if closing and folded[: closing.start()].strip():
        folded = folded[: closing.start()]
    return _NUMBER.sub("0", _MAIL_ADDRESS.sub(" zmail ", _LINK.sub(" zlink ", folded)))


def phrases(prepared: str) -> list[str]:
    """The words, marks that ask or exclaim, and starts of clauses, alone and two by two.

    "is it …" asks, "… it is" does not: hence the starts.
    """
    said = _SAID.findall("zstart " + _CLAUSE_END.sub(r"\1 zstart ", prepared))
    return said + [f"{one} {other}" for one, other in pairwise(said)]


def spellings(prepared: str) -> list[str]:
    """Three to five characters in a row within a word, whose edges count as spaces.

    A shorter word is counted once, whole.
    """
    found: list[str] = []
    for word in prepared.split():
        edged = f" {word} "
        for length in range(3, 6):
            starts = max(len(edged) - length + 1, 1)
            found += [edged[start : start + length] for start in range(starts)]
            if starts == 1:
                break
    return found
