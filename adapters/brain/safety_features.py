"""The features for the trained safety classifier: the features of the message classifier, and the
concepts of the safety grammar, alone and in pairs.

The model was trained on exactly these. After a change here, in `adapters/brain/features.py` or
`sensitive_frames.yaml`, run `python -m training.train_safety`.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import Final

import numpy as np

from adapters.brain.features import (
    BUCKETS,
    RARITY_STEP,
    READ_CHARACTERS,
    FeatureRow,
    Floats,
    Numbers,
    bucket_hash,
    rarities_of,
    row_of,
)
from domain.agent.safety.sensitive_frames import frames

_SAID_BUCKETS: Final = 2**14
SAFETY_BUCKETS: Final = BUCKETS + _SAID_BUCKETS
# The L2 norm of the safety concepts. Each third of the message classifier's feature row has the
# same norm.
_SHARE: Final = 1.5


def safety_rarities(texts: Sequence[str]) -> Floats:
    """Return the rarity of each bucket in these texts, in whole steps of `RARITY_STEP`."""
    seen = np.zeros(_SAID_BUCKETS)
    for text in texts:
        seen[_said(text)] += 1
    rarity = np.log((1 + len(texts)) / (1 + seen)) + 1
    return np.concatenate([rarities_of(texts), np.rint(rarity / RARITY_STEP) * RARITY_STEP])


def safety_row(text: str, rarities: Floats) -> FeatureRow:
    """Return the features of the text's first `READ_CHARACTERS` characters. The safety concepts
    have the same L2 norm as the words, character n-grams and meanings."""
    row = row_of(text, rarities[:BUCKETS])
    places = _said(text)
    weighed = rarities[BUCKETS + places]
    values = _SHARE * weighed / max(float(np.sqrt(weighed @ weighed)), 1e-12)
    return FeatureRow(
        np.concatenate([row.buckets, BUCKETS + places]), np.concatenate([row.values, values])
    )


def _said(text: str) -> Numbers:
    """Return the sorted, distinct buckets of the text's safety concepts."""
    known = frames()
    concepts = sorted(known.said(known.vocabulary.words(text[:READ_CHARACTERS])))
    tokens = [*concepts, *(f"{one}+{other}" for one, other in combinations(concepts, 2))]
    places = {bucket_hash(token) & (_SAID_BUCKETS - 1) for token in tokens}
    return np.array(sorted(places), dtype=np.int64)
