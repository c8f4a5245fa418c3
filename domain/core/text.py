"""Normalize text, and remove its accents and case, so that it can be compared and searched."""

import re
import unicodedata
from enum import StrEnum
from html import unescape
from itertools import filterfalse
from typing import Final

from domain.core.effort import spend

# Python sorts a run of combining marks in quadratic time: 100,000 marks take 10 s. Text is
# therefore normalized in short pieces, which end before an ASCII character if possible.
_PIECE: Final = re.compile(r"(?s).{1,256}[^\x00-\x7f]{0,256}")
_FEW: Final = 16
_NO_CHARACTER: Final = re.compile(r"&#\d{8,};?")


class UnicodeForm(StrEnum):
    """A Unicode normalization form."""

    NFC = "NFC"
    NFKC = "NFKC"
    NFKD = "NFKD"


def normalized(text: str, form: UnicodeForm) -> str:
    """Return the text in a Unicode normalization form, in linear time.

    The text is normalized in pieces, so characters do not combine across a border between two
    pieces. Only non-ASCII texts of more than 512 characters can therefore differ from Python's
    result.
    """
    if text.isascii():
        return text
    return "".join(unicodedata.normalize(form.value, piece) for piece in _PIECE.findall(text))


def unescaped(text: str) -> str:
    """Return the text with its HTML character references decoded. References with too many digits
    for a character are removed because the standard library raises an error for thousands of
    digits."""
    return unescape(_NO_CHARACTER.sub("", text))


def fold(text: str) -> str:
    """Return the text in lower case without accents: "Où est ma COMMANDE ?" becomes "ou est ma
    commande ?"."""
    return unaccented(text.replace("œ", "oe").replace("æ", "ae")).lower()


def unaccented(text: str) -> str:
    """Return the text without accents and compatibility characters: "Où ﬁn" becomes "Ou fin"."""
    if text.isascii():
        return text
    spend(len(text))
    return without_marks(normalized(text, UnicodeForm.NFKD))


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
