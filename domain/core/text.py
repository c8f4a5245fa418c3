"""Text as it is compared and searched."""

import unicodedata
from typing import Final

# Python sorts a run of marks in quadratic time: 20,000 of them take 0.4 s. A piece that is taken
# apart for itself gives the same letters.
_PIECE: Final = 64


def unaccented(text: str) -> str:
    """Letters without marks, of compatible ones the plainest: "Où ﬁn" becomes "Ou fin"."""
    if text.isascii():
        return text
    pieces = (
        unicodedata.normalize("NFKD", text[begin : begin + _PIECE])
        for begin in range(0, len(text), _PIECE)
    )
    return "".join([c for piece in pieces for c in piece if not unicodedata.combining(c)])


def fold(text: str) -> str:
    """Lower case without accents: "Où est ma COMMANDE ?" becomes "ou est ma commande ?"."""
    return unaccented(text.replace("œ", "oe").replace("æ", "ae")).lower()
