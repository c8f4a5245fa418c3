"""The phrases and formats of the embedded copilot, in French and English."""

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
    """Return the phrase for a key, with the values inserted. A placeholder inside a value is not
    expanded."""
    return _words().phrases[key][tongue].format_map(values)


def term(tongue: Tongue, code: str) -> str:
    """Return the words for a stable code. For an unknown code, return the code with spaces for
    underscores."""
    known = _words().terms.get(code)
    return known[tongue] if known else code.replace("_", " ")


def number(tongue: Tongue, value: float, digits: int = 0) -> str:
    """Return a number with the language's separators, such as `1 234,5` or `1,234.5`."""
    english = f"{value:,.{digits}f}"
    if tongue == "en":
        return english
    return english.replace(",", "\u202f").replace(".", ",")


def percent(tongue: Tongue, share: float | None) -> str:
    """Return a share from 0 to 1 as a percentage, or a dash for None."""
    if share is None:
        return "–"
    return number(tongue, share * 100, 1) + ("\u202f%" if tongue == "fr" else "%")


def day(tongue: Tongue, when: date) -> str:
    """Return a date in the language's format, such as `24/11/2026` or `2026-11-24`. A time is
    reduced to its date."""
    plain = when.date() if isinstance(when, datetime) else when
    return f"{plain:%d/%m/%Y}" if tongue == "fr" else plain.isoformat()


def span(tongue: Tongue, begin: datetime, end: datetime) -> str:
    """Return the length of a time span in words. The unit is minutes, hours or days, depending on
    the length."""
    minutes = max(0, int((end - begin).total_seconds() // 60))
    if minutes < 120:
        return f"{minutes} min"
    if minutes < 48 * 60:
        return f"{minutes // 60} h"
    return f"{minutes // 1440} {'j' if tongue == 'fr' else 'days'}"
