"""Normalize a text for the safety net: remove accents and decoration, resolve slang and correct
typos.

French and English are treated alike, because the language is not yet known. Takes linear time.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from domain.core.effort import spend
from domain.core.plain_text import without_controls
from domain.core.text import UnicodeForm, normalized, without_marks

# A sentence break counts as this many words. Concepts with a smaller maximum distance must
# therefore be in one sentence.
SENTENCE_BREAK: Final = 4

_APOSTROPHES: Final = re.compile("[’ʼ‘`´′]")
_CONTRACTIONS: Final = tuple(
    (re.compile(rf"(?<=[a-z]){short}\b"), meant)
    for short, meant in (
        ("n't", " not"), ("'re", " are"), ("'ve", " have"), ("'m", " am"), ("'ll", " will"),
        ("'d", " would"), ("'s", ""),
    )
)  # fmt: skip
_MONEY: Final = re.compile("[€£$]")
_PIECE: Final = re.compile(r"[a-z]+|[0-9]+(?:[.,][0-9]+)*|[.!?;:…\n]+")
_REPEATED: Final = re.compile(r"([a-z])\1+")
_JOINED: Final = (("a&e", " accidentemergency "), ("œ", "oe"), ("æ", "ae"), ("\u00ad", ""))
ELIDED: Final[Mapping[str, str]] = {
    "j": "je", "d": "de", "n": "ne", "s": "se", "c": "ce", "qu": "que", "m": "me", "t": "te",
}  # fmt: skip
# Typos in shorter words are not corrected, because too many other words are similar to them.
_SHORTEST_MENDED: Final = 5
_LONGEST_MENDED: Final = 20


def squeezed(word: str) -> str:
    """Return the word with repeated letters reduced to one, so that a doubled letter does not count
    as a typo."""
    return _REPEATED.sub(r"\1", word)


def bare(text: str) -> str:
    """Return the text in lower case without accents. Contractions are expanded, and elisions are
    split."""
    lower = without_controls(text).casefold()
    for sign, letters in _JOINED:
        lower = lower.replace(sign, letters)
    decomposed = normalized(_APOSTROPHES.sub("'", lower), UnicodeForm.NFKD)
    plain = without_marks(decomposed)
    if "'" in plain:
        for contraction, meant in _CONTRACTIONS:
            plain = contraction.sub(meant, plain)
    return _MONEY.sub(" money ", plain).replace("'", " ")


@dataclass(frozen=True, slots=True)
class SensitiveVocabulary:
    """The words for normalizing a text. `slang` maps a word to its replacements. `dropped` words
    are ignored. `mended` maps a word with one letter missing to the correct words."""

    slang: Mapping[str, tuple[str, ...]]
    dropped: Collection[str]
    known: Collection[str]
    mended: Mapping[str, tuple[str, ...]]

    def words(self, text: str) -> list[str]:
        """Return the words of a text, squeezed and in order, with "." between sentences."""
        spend(len(text))
        read: list[str] = []
        known: dict[str, list[str]] = {}
        for piece in _PIECE.findall(bare(text)):
            meant = known.get(piece)
            if meant is None:
                meant = known[piece] = self._meant(piece)
            read += meant
        return read

    def _meant(self, piece: str) -> list[str]:
        if not piece[0].isalnum():
            return ["."]
        # Keep only the integer part of a number because a decimal point does not end a sentence.
        whole = piece if piece[0].isalpha() else re.split("[.,]", piece)[0]
        meant = (ELIDED.get(word, word) for word in self.slang.get(whole, (whole,)))
        return [self._mended(squeezed(word)) for word in meant if word not in self.dropped]

    def _mended(self, word: str) -> str:
        """Return the known word that differs from this word by one typo: a letter added, missing,
        replaced or swapped. If there is no such word, return the word unchanged."""
        if word in self.known or not _SHORTEST_MENDED <= len(word) <= _LONGEST_MENDED:
            return word
        for shorter in (word, *shortened(word)):
            for meant in self.mended.get(shorter, ()):
                if meant[0] == word[0] and _one_slip(meant, word):
                    return meant
        return word


def shortened(word: str) -> list[str]:
    """Return all forms of a word with one letter removed."""
    return [word[:place] + word[place + 1 :] for place in range(len(word))]


def _one_slip(meant: str, word: str) -> bool:
    """Return True if two words differ by one typo, given that removing one letter from each makes
    them equal."""
    if len(meant) != len(word):
        return abs(len(meant) - len(word)) == 1
    apart = [place for place in range(len(word)) if meant[place] != word[place]]
    if len(apart) == 1:
        return True
    if len(apart) != 2:
        return False
    first, second = apart
    return second == first + 1 and (meant[first], meant[second]) == (word[second], word[first])
