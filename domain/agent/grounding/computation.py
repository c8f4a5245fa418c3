"""Verify the calculations in an answer: sums of numbers, and dates plus or minus a number of days.

A calculation supports its result only if it is correct, and if the sources or the customer state
all of its operands.
"""

import re
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
_DAYS: Final = re.compile(rf"{_DATE} ?([-+−]) ?(\d{{1,4}}) days? ?= ?{_DATE}")
_MINUS: Final = frozenset("-−")
_TIMES: Final = frozenset("*x×")
# A percentage is the only calculation with a number that nobody states.
_HUNDRED: Final = "number:100"
_WORD: Final = re.compile(r"[a-z]+")
_WEEK: Final = 7


@dataclass(frozen=True, slots=True)
class Calculation:
    """A correct calculation.

    `operands` contains, for each operand, the fact keys of which a source must state one.
    `result` contains the fact keys that the result supports, without a currency.
    """

    operands: tuple[frozenset[str], ...]
    result: frozenset[str]

    def is_known(self, known: frozenset[str]) -> bool:
        """Return True if `known`, the stated fact keys, contains all operands."""
        return all(not one.isdisjoint(known) for one in self.operands)


def calculation(text: str) -> Calculation | None:
    """Return the calculation in a text, such as "2 * 12.00 + 4.95 = 28.95" or "2026-11-24 + 30
    days = 2026-12-24". Return None if the text is in another form or the result is wrong. Never
    raises."""
    plain = " ".join(text.split())
    try:
        if match := _DAYS.fullmatch(plain):
            return _of_days(*match.groups())
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


def _of_days(start: str, sign: str, days: str, end: str) -> Calculation | None:
    count = int(days)
    step = timedelta(days=-count if sign in _MINUS else count)
    result = date.fromisoformat(end)
    if date.fromisoformat(start) + step != result:
        return None
    period = {f"number:{count}", f"period:{count} day"}
    if count % _WEEK == 0:
        period.add(f"period:{count // _WEEK} week")
    weekday = f"day:{result:%A}".lower()
    return Calculation(
        (given(start), frozenset(period)), given(end) | {weekday, f"date:{result:%m-%d}"}
    )


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
