"""The classifier's features for a text: words, character n-grams, and concepts. The model was
trained on exactly these, so run `python -m training.train` after a change."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Final

import mmh3
import numpy as np
from numpy.typing import NDArray

from adapters.brain.concepts import concepts
from domain.core.effort import spend
from domain.core.text import UnicodeForm, normalized, without_marks
from domain.intake.mail_text import latest_reply

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]

WORD_BUCKETS: Final = 2**16
CHARACTER_BUCKETS: Final = 2**17
CONCEPT_BUCKETS: Final = 2**13
BUCKETS: Final = WORD_BUCKETS + CHARACTER_BUCKETS + CONCEPT_BUCKETS
READ_CHARACTERS: Final = 2_000
# Rarities are stored as multiples of this step, in one byte each.
RARITY_STEP: Final = 1 / 16
# The L2 norm of each third of a feature row: words, n-grams and concepts. Equal norms
# performed best in cross-validation.
_SHARE: Final = 1.5

_LIGATURES: Final = str.maketrans({"œ": "oe", "Œ": "oe", "æ": "ae", "Æ": "ae", "ß": "ss"})
_NOT_ASCII: Final = re.compile(r"[^\x00-\x7f]+")
_LINK: Final = re.compile(r"(?:https?://|www\.)\S+")
_MAIL_ADDRESS: Final = re.compile(r"[\w.+-]{1,64}@[\w.-]+")
_NUMBER: Final = re.compile(r"\d+")
_WORD: Final = re.compile(r"[a-z0-9]+")
_SAID: Final = re.compile(r"[a-z0-9]+|[?!]")
_CLAUSE_END: Final = re.compile(r"([.!?\n,;:]+)")
# Matches a line that contains only the closing of a letter. The signature after the closing is
# removed because it contains a name, a street or a telephone number.
_CLOSING: Final = re.compile(
    r"^[ \t]*(?:(?:bien|tres) )?(?:cordialement|cdt|cdlt|salutations|bien a vous|amicalement"
    r"|respectueusement|sinceres salutations|(?:kind|best|warm) regards|regards|best wishes"
    r"|(?:yours )?(?:sincerely|faithfully|truly)|all the best|cheers)[ ,.!]*$",
    re.MULTILINE,
)


def fold(text: str) -> str:
    """Return the text in lower-case ASCII, without accents and with spaces for other non-ASCII
    characters.

    Reads at most `READ_CHARACTERS` characters. The model was trained with this function, so changes
    to `domain.core.text.fold` must not affect it.
    """
    read = text[:READ_CHARACTERS]
    spend(len(read))
    if read.isascii():
        return read.lower()
    bare = without_marks(normalized(read.translate(_LIGATURES), UnicodeForm.NFKD))
    return _NOT_ASCII.sub(" ", bare).lower()[:READ_CHARACTERS]


def words(folded: str) -> list[str]:
    """Return the words and numbers of a folded text, in order."""
    return _WORD.findall(folded)


@dataclass(frozen=True, slots=True)
class FeatureRow:
    """The features of one text: the distinct hash buckets of its tokens, with their values."""

    buckets: Numbers
    values: Floats


def rarities_of(texts: Sequence[str]) -> Floats:
    """Return the rarity of each bucket in these texts, from 1 for a bucket in all texts to about 9.

    The rarity is the inverse document frequency, in whole steps of `RARITY_STEP`.
    """
    seen = np.zeros(BUCKETS)
    for text in texts:
        for buckets, _ in _counted(text):
            seen[buckets] += 1
    rarity = np.log((1 + len(texts)) / (1 + seen)) + 1
    return np.rint(rarity / RARITY_STEP) * RARITY_STEP


def row_of(text: str, rarities: Floats) -> FeatureRow:
    """Return the features of a text, weighted by rarity. Words, character n-grams and concepts have
    equal L2 norms, regardless of the length of the text."""
    places: list[Numbers] = []
    weights: list[Floats] = []
    for buckets, counts in _counted(text):
        weighed = counts * rarities[buckets]
        places.append(buckets)
        weights.append(_SHARE * weighed / max(float(np.sqrt(weighed @ weighed)), 1e-12))
    return FeatureRow(np.concatenate(places), np.concatenate(weights))


def _counted(text: str) -> Iterator[tuple[Numbers, Floats]]:
    """Yield the sorted buckets and their counts for words, then for character n-grams, then for
    concepts."""
    prepared = _prepare(text)
    start = 0
    parts: tuple[tuple[Callable[[str], list[str]], int], ...] = (
        (phrases, WORD_BUCKETS),
        (spellings, CHARACTER_BUCKETS),
        (_meanings, CONCEPT_BUCKETS),
    )
    for analyze, size in parts:
        # The mask gives the remainder because sizes are powers of two.
        counts = Counter(start + (bucket_hash(token) & (size - 1)) for token in analyze(prepared))
        places = sorted(counts)
        yield (
            np.array(places, dtype=np.int64),
            np.array([counts[place] for place in places], dtype=np.float64),
        )
        start += size


def bucket_hash(token: str) -> int:
    """Return the MurmurHash3 of the token, from 0 to 2**32 - 1."""
    return mmh3.hash(token, signed=False)


def _prepare(text: str) -> str:
    """Return the text for counting features: without quotes and signature, and with one token for
    each kind of number, link and address."""
    folded = fold(latest_reply(text[:READ_CHARACTERS]))
    closing = _CLOSING.search(folded)
    if closing and folded[: closing.start()].strip():
        folded = folded[: closing.start()]
    return _NUMBER.sub("0", _MAIL_ADDRESS.sub(" zmail ", _LINK.sub(" zlink ", folded)))


def phrases(prepared: str) -> list[str]:
    """Return the words, question marks, exclamation marks and clause starts, alone and in adjacent
    pairs. Clause starts distinguish the question "is it …" from the statement "… it is"."""
    said = _SAID.findall("zstart " + _CLAUSE_END.sub(r"\1 zstart ", prepared))
    return said + [f"{one} {other}" for one, other in pairwise(said)]


def spellings(prepared: str) -> list[str]:
    """Return the n-grams of three to five characters within each word, with spaces at its edges. A
    shorter word is counted once, as a whole."""
    found: list[str] = []
    for word in prepared.split():
        edged = f" {word} "
        for length in range(3, 6):
            starts = max(len(edged) - length + 1, 1)
            found += [edged[start : start + length] for start in range(starts)]
            if starts == 1:
                break
    return found


def _meanings(prepared: str) -> list[str]:
    """Return the concepts in a text, the pairs of adjacent concepts, and all pairs of distinct
    concepts."""
    found = [concept for word in words(prepared) for concept in concepts(word)]
    beside = [f"{one} {other}" for one, other in pairwise(found)]
    together = [f"{one}+{other}" for one, other in combinations(sorted(set(found)), 2)]
    return found + beside + together
