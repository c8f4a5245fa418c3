"""The search for a template to insert into a reply, by name, text or shortcut."""

import re
from dataclasses import dataclass
from typing import Final

from domain.core.text import fold

MAX_SEARCH: Final = 80
"""Maximum length of a search, in characters."""

_WORD: Final = re.compile(r"\w+")
_MOST_WORDS: Final = 8


@dataclass(frozen=True, slots=True)
class MacroSearch:
    """A search. `words`: its words, folded. `shortcut`: a template's shortcut, or empty."""

    words: tuple[str, ...]
    shortcut: str

    @staticmethod
    def of(text: str) -> "MacroSearch":
        """Return the search for a member's input. A leading `/` is ignored."""
        words = tuple(_WORD.findall(fold(text[:MAX_SEARCH])))[:_MOST_WORDS]
        return MacroSearch(words, words[0] if len(words) == 1 else "")


def shortcut_of(name: str) -> str:
    """Return a template's shortcut: the initials of its name, `cer` for “Colis en retard”."""
    return "".join(word[0] for word in _WORD.findall(fold(name)))
