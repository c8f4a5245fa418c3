"""Names of products in the knowledge base, and whether an answer is about the same product as the
question."""

import re
from collections.abc import Sequence
from typing import Final

from adapters.brain.answer_features import Candidate
from domain.core.text import fold

# A capital letter within a sentence. A capital at the beginning of a sentence does not indicate a
# name.
_CAPITALIZED: Final = re.compile(r"(?<=[\w,;] )[A-ZÀ-ÖØ-Þ]\w{2,}")
_LOWERCASE: Final = re.compile(r"(?<!\w)[a-zß-öø-ÿ]\w{2,}")
_WORD: Final = re.compile(r"\w{3,}")


def other_product(question: str, found: Sequence[Candidate], best: int) -> bool:
    """Return True if the question contains a name that the best sentence, its heading and the
    entry's title do not contain. A name is a word that always has a capital letter in the sentences
    found."""
    texts = [one.sentence.text for one in found]
    lowercase = {fold(word) for text in texts for word in _LOWERCASE.findall(text)}
    names = {fold(word) for text in texts for word in _CAPITALIZED.findall(text)} - lowercase
    asked = names & set(_WORD.findall(fold(question)))
    if not asked:
        return False
    chosen = found[best]
    text = f"{chosen.passage.title} {chosen.sentence.heading} {chosen.sentence.text}"
    return not asked <= set(_WORD.findall(fold(text)))
