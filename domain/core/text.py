"""Text as it is compared and searched."""

import unicodedata
from itertools import filterfalse


def fold(text: str) -> str:
    """Lower case without accents: "Où est ma COMMANDE ?" becomes "ou est ma commande ?"."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text.replace("œ", "oe").replace("æ", "ae"))
    return without_marks(decomposed).lower()


def without_marks(decomposed: str) -> str:
    """Decomposed text (NFKD) without its accents."""
    if decomposed.isascii():
        return decomposed
    return "".join(filterfalse(unicodedata.combining, decomposed))
