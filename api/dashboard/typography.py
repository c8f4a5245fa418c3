"""Typographic apostrophes and French spaces in page texts."""

import re
from typing import Final

_NARROW: Final = "\u202f"  # The narrow no-break space.
_BEFORE: Final = re.compile(r" (?=[?!;:»%€])")
_GROUP: Final = re.compile(r"(?<=\d) (?=\d{3}(?!\d))")


def typeset(text: str, language: str) -> str:
    """Return a text with typographic apostrophes. French text also gets narrow no-break spaces
    around punctuation and between groups of digits."""
    text = text.replace("'", "’")
    if language != "fr":
        return text
    return _GROUP.sub(_NARROW, _BEFORE.sub(_NARROW, text)).replace("« ", f"«{_NARROW}")
