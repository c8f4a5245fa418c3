"""The periods that a question to the copilot can name, such as `hier` or `10 days`."""

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum
from typing import Final


class NamedPeriod(StrEnum):
    TODAY = "today"
    YESTERDAY = "yesterday"
    THIS_WEEK = "this_week"
    LAST_WEEK = "last_week"
    THIS_MONTH = "this_month"
    LAST_MONTH = "last_month"
    QUARTER = "quarter"


@dataclass(frozen=True, slots=True)
class LastDays:
    """The last `days` days."""

    days: int


AskedPeriod = NamedPeriod | LastDays

MAX_LAST_DAYS: Final = 366
"""Maximum length of a period in days. A longer one is shortened."""

_QUARTER_DAYS: Final = 90
_NUMBERS: Final = {
    name: number
    for number, names in enumerate(
        (
            "two deux", "three trois", "four quatre", "five cinq", "six", "seven sept",
            "eight huit", "nine neuf", "ten dix", "eleven onze", "twelve douze",
        ),
        start=2,
    )
    for name in names.split()
}  # fmt: skip
_DAYS_IN: Final = {"d": 1, "j": 1, "w": 7, "s": 7, "m": 30, "y": 365, "a": 365}
# A number and a unit, which may be one word: “20d”. Words between them qualify the unit: “les 10
# derniers jours”.
_COUNTED: Final = re.compile(
    rf"\b(?P<count>\d{{1,3}}|{'|'.join(_NUMBERS)}) ?(?:(?:derniers?|dernieres?|last|past) )?"
    r"(?P<unit>d|j|days?|jours?|w|weeks?|semaines?|months?|mois|years?|ans?|annees?)\b"
)
_LAST: Final = frozenset(
    {
        "last",
        "previous",
        "past",
        "derniere",
        "dernier",
        "dernieres",
        "derniers",
        "passe",
        "passee",
        "precedent",
        "precedente",
    }
)
_THIS: Final = frozenset({"this", "ce", "cette"})
_WEEK: Final = frozenset({"week", "semaine"})
_MONTH: Final = frozenset({"month", "mois"})
_TODAY: Final = frozenset({"today", "aujourd", "tonight", "jour", "journee", "now", "moment"})
_YESTERDAY: Final = frozenset({"yesterday", "hier"})
_QUARTER: Final = frozenset({"quarter", "trimestre"})
_ALL: Final = _LAST | _THIS | _WEEK | _MONTH | _TODAY | _YESTERDAY | _QUARTER


def period_named(words: Sequence[str]) -> AskedPeriod | None:
    """Return the period named in a question, or None."""
    counted = _COUNTED.search(" ".join(words))
    if counted is not None:
        count = _NUMBERS.get(counted["count"]) or int(counted["count"])
        return LastDays(min(max(1, count * _DAYS_IN[counted["unit"][0]]), MAX_LAST_DAYS))
    said = frozenset(words)
    if said & _WEEK:
        return NamedPeriod.LAST_WEEK if _is_last(words, _WEEK) else NamedPeriod.THIS_WEEK
    if said & _MONTH:
        return NamedPeriod.LAST_MONTH if _is_last(words, _MONTH) else NamedPeriod.THIS_MONTH
    if said & _YESTERDAY:
        return NamedPeriod.YESTERDAY
    if said & _QUARTER:
        return NamedPeriod.QUARTER
    return NamedPeriod.TODAY if said & _TODAY else None


def without_period(words: Sequence[str]) -> tuple[str, ...]:
    """Return the words of a question that do not name its period."""
    rest = _COUNTED.sub(" ", " ".join(words)).split()
    return tuple(word for word in rest if word not in _ALL)


def _is_last(words: Sequence[str], unit: Set[str]) -> bool:
    """Return True if the words mean the preceding week or month. Return False for "the last refund
    this month"."""
    if _LAST.isdisjoint(words):
        return False
    around = zip(("", *words), words, (*words[1:], ""), strict=False)
    return any(
        before not in _THIS or after in _LAST for before, word, after in around if word in unit
    )


def days_in(period: AskedPeriod, today: date) -> tuple[date, date]:
    """Return the first and last day of a period. A week starts on Monday. The current period ends
    today."""
    if isinstance(period, LastDays):
        return today - timedelta(days=period.days - 1), today
    day, month = timedelta(days=1), today.replace(day=1)
    monday = today - timedelta(days=today.weekday())
    return {
        NamedPeriod.TODAY: (today, today),
        NamedPeriod.YESTERDAY: (today - day, today - day),
        NamedPeriod.THIS_WEEK: (monday, today),
        NamedPeriod.LAST_WEEK: (monday - 7 * day, monday - day),
        NamedPeriod.THIS_MONTH: (month, today),
        NamedPeriod.LAST_MONTH: ((month - day).replace(day=1), month - day),
        NamedPeriod.QUARTER: (today - (_QUARTER_DAYS - 1) * day, today),
    }[period]


def whole_days_in(period: AskedPeriod, last_whole: date) -> tuple[date, date]:
    """Return the first day of a period, and its last whole day. `last_whole` is the last day that
    has ended.

    If no day of the period has ended, return the preceding period.
    """
    if isinstance(period, LastDays):
        return days_in(period, last_whole)
    first, last = days_in(period, last_whole + timedelta(days=1))
    if first <= last_whole:
        return first, min(last, last_whole)
    before = {
        NamedPeriod.TODAY: NamedPeriod.YESTERDAY,
        NamedPeriod.THIS_WEEK: NamedPeriod.LAST_WEEK,
        NamedPeriod.THIS_MONTH: NamedPeriod.LAST_MONTH,
    }[period]
    return days_in(before, last_whole + timedelta(days=1))
