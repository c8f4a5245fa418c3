"""Text as it is compared and searched."""

import unicodedata


def fold(text: str) -> str:
    """Lower case without accents: "Où est ma COMMANDE ?" becomes "ou est ma commande ?"."""
    decomposed = unicodedata.normalize("NFKD", text.replace("œ", "oe").replace("æ", "ae"))
    return "".join(c for c in decomposed if not unicodedata.combining(c)).lower()
