"""Remove accents and case from text, so that it can be compared and searched."""

import unicodedata
from itertools import filterfalse
from typing import Final

from domain.core.effort import spend

# Python takes quadratic time to sort a run of combining marks: 20,000 marks take 0.4 s. Decomposing
# the text in pieces of this length gives the same letters.
_PIECE: Final = 256
_FEW: Final = 16


def fold(text: str) -> str:
    """Return the text in lower case without accents: "Où est ma COMMANDE ?" becomes "ou est ma
    commande ?"."""
    return unaccented(text.replace("œ", "oe").replace("æ", "ae")).lower()


def unaccented(text: str) -> str:
    """Return the text without accents and compatibility characters: "Où ﬁn" becomes "Ou fin"."""
    if text.isascii():
        return text
    spend(len(text))
    pieces = (
        unicodedata.normalize("NFKD", text[begin : begin + _PIECE])
        for begin in range(0, len(text), _PIECE)
    )
    return without_marks("".join(pieces))


def without_marks(decomposed: str) -> str:
    """Remove the combining marks from text that is already decomposed (NFKD), and return it."""
    if decomposed.isascii():
        return decomposed
    marks = list(filter(unicodedata.combining, set(decomposed)))
    if len(marks) > _FEW:
        return "".join(filterfalse(unicodedata.combining, decomposed))
    for mark in marks:
        decomposed = decomposed.replace(mark, "")
    return decomposed
