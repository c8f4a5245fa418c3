"""Extract the verifiable facts in a text: amounts, dates, periods, links and numbers.

Facts are compared independently of language and notation: "49,90 €" equals "EUR 49.90", and "two
weeks" equals "2 semaines". Ambiguous facts count as different. A false mismatch costs a review, but
a false match makes a wrong promise.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from functools import cache
from typing import Final

from domain.agent.grounding.fact_words import either, fact_words
from domain.agent.size_limits import READ_CHARS
from domain.core.effort import spend
from domain.core.text import fold


class FactKind(StrEnum):
    LINK = "link"
    ADDRESS = "address"
    MONEY = "money"
    SHARE = "share"
    PERIOD = "period"
    DATE = "date"
    DAY = "day"
    CLOCK = "clock"
    PHONE = "phone"
    NUMBER = "number"


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact in a text. `written` contains its folded words.

    `needs` and `gives` contain normalized keys. A source supports the fact if one of the source's
    `gives` keys is in `needs`.
    """

    kind: FactKind
    written: str
    needs: frozenset[str]
    gives: frozenset[str]


_COUNTED: Final = r"(?:(?:full|whole|business|working|calendar)[ -])?"
_DIGITS: Final = r"\d{1,12}(?:[.,]\d{1,3})?(?!\d)"
_AMOUNT: Final = rf"\d{{1,3}}(?:[ .,']\d{{3}}){{1,4}}(?:[.,]\d{{1,2}})?(?!\d)|{_DIGITS}"
_OF: Final = "(?:of |de |d')?"
_LIST_MARK: Final = re.compile(r"(?m)^[^\S\n]*\d{1,2}[.)](?=\s)")


def facts(text: str) -> tuple[Fact, ...]:
    """Return the facts in a text, grouped by kind. Never raises. Reads the first `READ_CHARS`
    characters."""
    beginning = text[:READ_CHARS]
    spend(len(beginning))
    rest = _LIST_MARK.sub(" ", _readable(beginning))
    found: list[Fact] = []
    for pattern, read in _patterns():
        for match in pattern.finditer(rest):
            found.extend(read(match))
        # Erase the matches because later patterns must not match the same text again.
        rest = pattern.sub(lambda match: "\0" * len(match[0]), rest)
    return tuple(found)


def given(text: str) -> frozenset[str]:
    """Return the fact keys that a text supports."""
    return frozenset(key for fact in facts(text) for key in fact.gives)


def _readable(text: str) -> str:
    """Return the folded text, with normalized digits, quotes and dashes. Number words before units
    become digits."""
    plain = "".join(
        str(unicodedata.decimal(mark)) if mark.isdecimal() else mark for mark in fold(text)
    )
    plain = re.sub("[‘’ʼ`]", "'", re.sub("[‐‑–—−]", "-", plain))
    plain = re.sub("[。｡．]", ".", re.sub(r"[ \t]+", " ", plain))
    plain = _one_unit().sub("1 ", plain)
    return _words_before_unit().sub(lambda match: f"{_counted(match[1] + match[2])} ", plain)


@cache
def _one_unit() -> re.Pattern[str]:
    return re.compile(rf"\b(?:an?|one|une?) (?=(?:{either(fact_words().units)})\b)")


@cache
def _number_word() -> str:
    return either(fact_words().numbers)


@cache
def _words_before_unit() -> re.Pattern[str]:
    word, unit, currency = (
        _number_word(),
        either(fact_words().units),
        either(fact_words().currencies),
    )
    return re.compile(
        rf"\b(?<!pour )(?<!per )(?:(?:an?|une?) )?({word})((?:[ -](?:et |and )?(?:{word})){{0,4}})"
        rf"[ -]{_OF}(?={_COUNTED}(?:(?:{unit}|{currency}|per ?cent|pour ?cent)\b|%))"
    )


def _counted(words: str) -> int:
    """Return the number expressed in words: "forty-eight", "deux cent cinquante"."""
    numbers = fact_words().numbers
    if words in numbers:
        return numbers[words]
    total = 0
    for word in re.findall(_number_word(), words):
        number = numbers[word]
        total = max(total, 1) * number if number in (100, 1000) else total + number
    return total


def _fact(kind: FactKind, match: re.Match[str], needs: set[str], *more: str) -> Fact:
    written = " ".join(match[0].split()).rstrip(".,;:!?")
    return Fact(kind, written, frozenset(needs), frozenset({*needs, *more}))


def _number(written: str) -> str:
    """Return an amount in normalized form. It may be written with any thousands separator, and with
    a decimal comma or point."""
    text = re.sub("[ ']", "", written)
    head, mark, tail = text.rpartition(max(text, key=lambda c: text.rfind(c) if c in ".," else -1))
    if mark in {".", ","} and len(tail) != 3:
        text = f"{re.sub('[.,]', '', head)}.{tail}"
    else:
        text = re.sub("[.,]", "", text)
    return f"{Decimal(text).normalize():f}"


def money_key(amount: str, currency: str) -> str:
    """Return the fact key for an amount of money. `currency` is an ISO 4217 code."""
    code = currency.lower()
    return f"money:{_number(amount)} {fact_words().currencies.get(code, code)}"


def _links(match: re.Match[str]) -> Iterator[Fact]:
    address = re.sub(r"^(?:https?://)?(?:www\.)?", "", match[0]).rstrip(".,;:!?)]}>»\"'/")
    host, _, path = address.partition("/")
    parts = (
        key
        for part in re.findall(r"(?<![a-z0-9-])[a-z0-9-]*\d[a-z0-9-]*", path)
        for key in _named(part)
    )
    yield _fact(FactKind.LINK, match, {f"link:{address}"}, f"link:{host}", *parts)


def _addresses(match: re.Match[str]) -> Iterator[Fact]:
    yield _fact(FactKind.ADDRESS, match, {f"address:{match[0].rstrip('.')}"})


def _money(match: re.Match[str]) -> Iterator[Fact]:
    amount, currency = match["after"] or match["before"], match["unit"] or match["sign"]
    if match["cents"]:
        amount = f"{amount}.{match['cents']}"
    key = f"money:{_number(amount)} {fact_words().currencies[currency]}"
    yield _fact(FactKind.MONEY, match, {key}, f"number:{_number(amount)}")


def _shares(match: re.Match[str]) -> Iterator[Fact]:
    number = _number(match[1])
    yield _fact(FactKind.SHARE, match, {f"share:{number}"}, f"number:{number}")


def _periods(match: re.Match[str]) -> Iterator[Fact]:
    unit = fact_words().units[match["unit"]]
    for written in (match["first"], match["second"]):
        if written:
            number = _number(written)
            more = {f"number:{number}"}
            if unit == "hour" and number.isdecimal():
                more.add(f"clock:{int(number) * 60}")
            yield _fact(FactKind.PERIOD, match, {f"period:{number} {unit}"}, *more)


def _date_fact(match: re.Match[str], readings: set[tuple[str | None, int, int]]) -> Iterator[Fact]:
    """Yield the fact for a date. `readings` contains (year, month, day) twice if day and month are
    ambiguous."""
    needs: set[str] = set()
    gives: set[str] = set()
    for year, month, day in readings:
        if 1 <= month <= 12 and 1 <= day <= 31:
            short = f"date:{month:02}-{day:02}"
            long = f"date:{year[-2:]}-{month:02}-{day:02}" if year else short
            needs.add(long)
            gives |= {long, short}
    yield _fact(FactKind.DATE, match, needs or {f"date:{match[0]}"}, *gives)


def _named_dates(match: re.Match[str]) -> Iterator[Fact]:
    day, month = match["day"] or match["day2"], match["month"] or match["month2"]
    yield from _date_fact(
        match, {(match["year"] or match["year2"], fact_words().months[month], int(day))}
    )


def _written_dates(match: re.Match[str]) -> Iterator[Fact]:
    if match["iso"]:
        readings = {(match["iso"], int(match["iso_month"]), int(match["iso_day"]))}
    else:
        one, other = int(match["one"]), int(match["other"])
        readings = {(match["year"], one, other), (match["year"], other, one)}
    yield from _date_fact(match, readings)


def _days(match: re.Match[str]) -> Iterator[Fact]:
    yield _fact(FactKind.DAY, match, {f"day:{fact_words().days[match[0]]}"})


def _clocks(match: re.Match[str]) -> Iterator[Fact]:
    if match["half"]:
        hour, minute = int(match["hour12"]) % 12, int(match["minute12"] or 0)
        hour += 12 if match["half"].startswith("p") else 0
    else:
        hour = int(match["hour"] or match["hour24"])
        minute = int(match["minute"] or match["minute24"] or 0)
    more = {f"period:{hour} hour"} if minute == 0 else set()
    yield _fact(FactKind.CLOCK, match, {f"clock:{hour * 60 + minute}"}, *more)


def _phones(match: re.Match[str]) -> Iterator[Fact]:
    digits = re.sub(r"\D", "", match[0])
    yield _fact(FactKind.PHONE, match, {f"phone:{digits[-9:]}"})


def _named(written: str) -> set[str]:
    """Return the fact keys for a number or for an identifier such as "1042", "40W" and
    "AB-1042"."""
    text = re.sub(r"^(?:#|no?\.?(?=\d))", "", written)
    if sized := re.fullmatch(r"(\d+(?:[.,]\d+)?)[a-z]{0,3}", text):
        return {f"number:{_number(sized[1])}"}
    return {f"number:{re.sub('[^a-z0-9]', '', text)}"}


def _numbers(match: re.Match[str]) -> Iterator[Fact]:
    yield _fact(FactKind.NUMBER, match, _named(match[0]))


_Read = Callable[[re.Match[str]], Iterator[Fact]]
# Customers control some of the text. Each repetition is therefore bounded, so that a match takes
# little time.
_WRITTEN_DATE: Final = re.compile(
    r"\b(?P<iso>\d{4})-(?P<iso_month>\d{2})-(?P<iso_day>\d{2})(?!\d)"
    r"|(?<![\d/.])(?P<one>\d{1,2})(?P<mark>[/.])(?P<other>\d{1,2})"
    r"(?:(?P=mark)(?P<year>\d{4}|\d{2})|(?<=/\d)|(?<=/\d\d))(?![\d/]|\.\d)"
)
_CLOCK: Final = re.compile(
    r"\b(?P<hour12>\d{1,2})(?:[:.](?P<minute12>\d\d))? ?(?P<half>[ap])\.?m\b"
    r"|\b(?P<hour>[01]?\d|2[0-3]) ?[h:] ?(?P<minute>[0-5]\d)(?!\d)"
    r"|\b(?P<hour24>[01]?\d|2[0-3])(?:[.:](?P<minute24>[0-5]\d))?"
    r"(?: uhr\b|(?= ?(?:bis|-|und) ?\d{1,2}(?:[.:]\d\d)? uhr\b))"
)


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], _Read], ...]:
    known = fact_words()
    unit, currency, month = map(either, (known.units, known.currencies, known.months))
    return (
        (re.compile(r"https?://[^\s<>\"]+|\bwww\.[^\s<>\"]+"), _links),
        (re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}"), _addresses),
        (
            re.compile(
                # Any name with a dot. Mail programs turn far more names into links than a list
                # could contain.
                r"(?<![\w.-])[^\W_][\w-]{0,62}(?:\.[\w-]{1,63}){0,3}"
                r"\.(?:[^\W\d_]{2,63}|xn--[a-z0-9-]{1,59})(?![\w-])(?::\d{1,5})?(?:/[^\s<>\"]*)?"
                r"|(?<![\w.-])(?:\d{1,3}\.){3}\d{1,3}(?:(?=[/:])(?::\d{1,5})?(?:/[^\s<>\"]*)?)"
            ),
            _links,
        ),
        (
            re.compile(
                rf"(?:(?<![a-z])(?P<sign>{currency}) ?(?P<after>{_AMOUNT})(?![\d]))"
                rf"|(?<![\w.,])(?P<before>{_AMOUNT}) ?(?P<unit>{currency})"
                r"(?:(?P<cents>\d\d)(?!\d)|(?![a-z]))"
            ),
            _money,
        ),
        (re.compile(rf"(?<![\w.,])({_DIGITS}) ?(?:%|per ?cent\b|pour ?cent\b)"), _shares),
        (_WRITTEN_DATE, _written_dates),
        (
            re.compile(
                rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th|er)?\.? (?:of |de )?(?P<month>{month})\b\.?"
                r"(?: (?:de )?(?P<year>\d{4}))?"
                rf"|\b(?P<month2>{month})\.? (?P<day2>\d{{1,2}})(?:st|nd|rd|th)?\b"
                r"(?:,? (?P<year2>\d{4}))?"
            ),
            _named_dates,
        ),
        (_CLOCK, _clocks),
        (
            re.compile(
                r"(?<![\w.,])(?P<first>\d{1,12}(?:[.,]\d{1,3})?)(?!\d)"
                r"(?: ?(?:-|a|to|and|et|ou|or|bis|und|oder|y|o) ?(?P<second>\d{1,12}))?"
                rf"[ -]?{_COUNTED}(?P<unit>{unit})\b"
            ),
            _periods,
        ),
        (re.compile(rf"\b(?:{either(known.days)})\b"), _days),
        (
            re.compile(r"(?<!\w)(?:\+ ?\d[\d .()-]{6,18}\d|\d{2,4}(?:[ .-]\d{2,4}){2,5})(?!\w)"),
            _phones,
        ),
        (re.compile(r"#?\b[a-z]{0,12}-?\d[\w]*(?:[-/._,]\w*\d\w*)*"), _numbers),
    )
