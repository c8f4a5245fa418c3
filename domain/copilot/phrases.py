"""The phrases of the embedded copilot, in French and English."""

from functools import cache

from domain.copilot.words import Tongue
from domain.core.lexicon import LexiconFile, lexicon


class _File(LexiconFile):
    phrases: dict[str, dict[Tongue, str]]
    terms: dict[str, dict[Tongue, str]]


@cache
def _words() -> _File:
    return lexicon(__file__, _File)


def phrase(tongue: Tongue, key: str, **values: str | int) -> str:
    """Return the phrase for a key, with the values inserted. A placeholder inside a value is not
    expanded."""
    return _words().phrases[key][tongue].format_map(values)


def term(tongue: Tongue, code: str) -> str:
    """Return the words for a stable code. For an unknown code, return the code with its underscores
    replaced by spaces."""
    known = _words().terms.get(code)
    return known[tongue] if known else code.replace("_", " ")
