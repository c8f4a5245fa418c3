"""Text as it is compared and searched."""

import unicodedata
from typing import Final

from domain.core.effort import spend

# Python sorts a run of marks in quadratic time: 20,000 of them take 0.4 s. A piece that is taken
# apart for itself gives the same letters.
_PIECE: Final = 256
_FEW: Final = 16


def unaccented(text: str) -> str:
    """Letters without marks, of compatible ones the plainest: "Où ﬁn" becomes "Ou fin"."""
    if text.isascii():
        return text
    spend(len(text))
    pieces = (
        unicodedata.normalize("NFKD", text[begin : begin + _PIECE])
        for begin in range(0, len(text), _PIECE)
    )
    plain = "".join(pieces)
    marks = [c for c in set(plain) if unicodedata.combining(c)]
    if len(marks) > _FEW:
        return "".join([c for c in plain if not unicodedata.combining(c)])
    for mark in marks:
        plain = plain.replace(mark, "")
    return plain


def fold(text: str) -> str:
    """Lower case without accents: "Où est ma COMMANDE ?" becomes "ou est ma commande ?"."""
    return unaccented(text.replace("œ", "oe").replace("æ", "ae")).lower()
