"""The embedded copilot's phrases, in French and English."""

from datetime import date, datetime
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
    """Return the phrase with its values inserted. A placeholder inside a value is not expanded."""
    return _words().phrases[key][tongue].format_map(values)


def term(tongue: Tongue, code: str) -> str:
    """Return the words for a stable code, or the code itself."""
    known = _words().terms.get(code)
    return known[tongue] if known else code.replace("_", " ")


def number(tongue: Tongue, value: float, digits: int = 0) -> str:
    """Return a number with the language's separators: `1 234,5` or `1,234.5`."""
    english = f"{value:,.{digits}f}"
    if tongue == "en":
        return english
    return english.replace(",", "\u202f").replace(".", ",")


def percent(tongue: Tongue, share: float | None) -> str:
    """Format a share from 0 to 1 as a percentage, or a dash for None."""
    if share is None:
        return "–"
    return number(tongue, share * 100, 1) + ("\u202f%" if tongue == "fr" else "%")


def day(tongue: Tongue, when: date) -> str:
    """Return `24/11/2026` or `2026-11-24`. For a time, return its day in UTC."""
    plain = when.date() if isinstance(when, datetime) else when
    return f"{plain:%d/%m/%Y}" if tongue == "fr" else plain.isoformat()


def span(tongue: Tongue, begin: datetime, end: datetime) -> str:
    """Return the length of a time span, in the largest unit that fits."""
    minutes = max(0, int((end - begin).total_seconds() // 60))
    if minutes < 120:
        return f"{minutes} min"
    if minutes < 48 * 60:
        return f"{minutes // 60} h"
    return f"{minutes // 1440} {'j' if tongue == 'fr' else 'days'}"
