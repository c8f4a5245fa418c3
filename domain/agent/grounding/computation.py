"""Verify the calculations in an answer: sums of numbers, and dates plus or minus a period.

A calculation supports its result only if it is correct, and if the sources or the customer state
all of its operands.
"""

import re
from calendar import monthrange
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal, DecimalException
from typing import Final

from domain.agent.grounding.fact_words import fact_words
from domain.agent.grounding.facts import given
from domain.core.text import fold

_NUMBER: Final = r"\d{1,9}(?:[.,]\d{1,4})?"
_SUM: Final = re.compile(rf"({_NUMBER}(?: ?[-+*/x×÷−] ?{_NUMBER}){{1,9}}) ?= ?({_NUMBER})")
_STEP: Final = re.compile(rf"([-+*/x×÷−]) ?({_NUMBER})")
_DATE: Final = r"(\d{4}-\d{2}-\d{2})"
_PERIOD: Final = re.compile(rf"{_DATE} ?([-+−]) ?(\d{{1,4}}) (day|week|month|year)s? ?= ?{_DATE}")
_DAYS_OF: Final = {"day": 1, "week": 7}
_MONTHS_OF: Final = {"month": 1, "year": 12}
_DAYS_A_MONTH: Final = 30.44
_MINUS: Final = frozenset("-−")
_TIMES: Final = frozenset("*x×")
# A percentage is the only calculation with a number that no source states.
_HUNDRED: Final = "number:100"
_SMALL: Final = frozenset(f"number:{number}" for number in range(1, 13))
_WORD: Final = re.compile(r"[a-z]+")


@dataclass(frozen=True, slots=True)
class Calculation:
    """A correct calculation.

    `operands` contains the fact keys of each operand. A source must state one of them.
    `result` contains the fact keys that the result supports, without a currency.
    """

    operands: tuple[frozenset[str], ...]
    result: frozenset[str]

    def is_known(self, known: frozenset[str], *, is_judged: bool = False) -> bool:
        """Return True if `known`, the stated fact keys, contains all operands. If a judge has
        accepted the calculation, one operand is enough, and the others may be small numbers: words
        such as "a third" and "halve" state them too."""
        unknown = [one for one in self.operands if one.isdisjoint(known)]
        if not unknown:
            return True
        return (
            is_judged
            and len(unknown) < len(self.operands)
            and all(one <= _SMALL for one in unknown)
        )


def calculation(text: str) -> Calculation | None:
    """Return the calculation in a text, such as "2 * 12.00 + 4.95 = 28.95" or "2026-11-24 + 30
    days = 2026-12-24". Return None if the text is in another form or the result is wrong. Never
    raises."""
    plain = " ".join(text.split())
    try:
        if match := _PERIOD.fullmatch(plain):
            return _of_period(*match.groups())
        if match := _SUM.fullmatch(plain):
            return _of_numbers(match[1], match[2])
    except (ValueError, OverflowError, DecimalException):
        return None
    return None


def numbers_in_words(text: str) -> frozenset[str]:
    """Return the fact keys of the number words in a text, such as "two"."""
    words = fact_words().numbers
    found = (words[word] for word in _WORD.findall(fold(text)) if word in words)
    return frozenset(f"number:{number}" for number in found)


def _of_period(start: str, sign: str, count: str, unit: str, end: str) -> Calculation | None:
    first, result, number = date.fromisoformat(start), date.fromisoformat(end), int(count)
    if _moved(first, -number if sign in _MINUS else number, unit) != result:
        return None
    return Calculation(
        (given(start), _same_periods(first, result) | {f"number:{number}"}),
        given(end) | {f"day:{result:%A}".lower(), f"date:{result:%m-%d}"},
    )


def _moved(start: date, number: int, unit: str) -> date:
    """Return a date after a period. A month ends on its last day, so 31 January + 1 month is 28
    or 29 February."""
    if unit in _DAYS_OF:
        return start + timedelta(days=number * _DAYS_OF[unit])
    months = start.year * 12 + start.month - 1 + number * _MONTHS_OF[unit]
    year, month = divmod(months, 12)
    return date(year, month + 1, min(start.day, monthrange(year, month + 1)[1]))


def _same_periods(start: date, end: date) -> frozenset[str]:
    """Return the fact keys of the period between two dates, in each unit in which it is whole."""
    days = abs((end - start).days)
    backwards = -1 if end < start else 1
    found = {f"period:{days} day"}
    if days % _DAYS_OF["week"] == 0:
        found.add(f"period:{days // _DAYS_OF['week']} week")
    for unit, months in _MONTHS_OF.items():
        number = round(days / (_DAYS_A_MONTH * months))
        if number and _moved(start, backwards * number, unit) == end:
            found.add(f"period:{number} {unit}")
    return frozenset(found)


def _of_numbers(left: str, right: str) -> Calculation | None:
    numbers = re.findall(_NUMBER, left)
    total = _total(left)
    result = _decimal(right)
    exponent = result.as_tuple().exponent
    if not isinstance(exponent, int):
        return None
    if total.quantize(Decimal(1).scaleb(exponent), ROUND_HALF_UP) != result:
        return None
    operands = tuple(frozenset({_key(_decimal(one))}) for one in numbers)
    stated = tuple(one for one in operands if one != {_HUNDRED})
    return Calculation(stated, frozenset({_key(result)})) if stated else None


def _total(left: str) -> Decimal:
    """Return the value of a sum of products. Products precede sums."""
    first = re.match(_NUMBER, left)
    if first is None:
        raise ValueError(left)
    return sum(_products(_decimal(first[0]), left[first.end() :]), Decimal(0))


def _products(first: Decimal, steps: str) -> Iterator[Decimal]:
    product = first
    for match in _STEP.finditer(steps):
        number = _decimal(match[2])
        if match[1] in _TIMES:
            product *= number
        elif match[1] in "/÷":
            product /= number
        else:
            yield product
            product = -number if match[1] in _MINUS else number
    yield product


def _decimal(written: str) -> Decimal:
    return Decimal(written.replace(",", "."))


def _key(number: Decimal) -> str:
    return f"number:{number.normalize():f}"
