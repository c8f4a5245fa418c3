"""Detect personal data in a text by its format: addresses, numbers, links and names.

Each regular expression runs in time linear in the length of the text because customers control the
input.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate
from typing import Final

from domain.core.effort import spend


class PersonalKind(StrEnum):
    LINK = "link"
    EMAIL = "email"
    IBAN = "iban"
    CARD = "card"
    PHONE = "phone"
    STREET = "street"
    TOWN = "town"
    NAME = "name"


@dataclass(frozen=True, slots=True)
class PersonalData:
    """Personal data at `text[start:end]`, with its kind."""

    kind: PersonalKind
    start: int
    end: int


_LINK: Final = re.compile(r"(?:https?://|\bwww\.)[^\s<>\"]+", re.IGNORECASE)
_AFTER_LINK: Final = ".,;:!?)]}'»"
_IN_LOCAL: Final = r"[^\s@<>\"(),:;\[\]\\«»]"
_EMAIL: Final = re.compile(
    rf"(?<!{_IN_LOCAL}){_IN_LOCAL}{{1,320}}@[\w-]{{1,63}}(?:\.[\w-]{{1,63}})+"
)
# Matches a path segment that may be personal data, because it is long or has many digits.
_TOKEN: Final = re.compile(r"[\w-]{20}|(?:\d[\w-]{0,8}){6}")

_IBAN_START: Final = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{2}\d\d(?=[ -]?[A-Za-z0-9])")
_IBAN_REST: Final = re.compile(r"(?:[ \u00a0\u202f-]?[A-Za-z0-9]){0,34}")
_IBAN_LENGTHS: Final = range(34, 14, -1)
_DIGIT_RUN: Final = re.compile(r"\d+(?:[ \u00a0\u202f-]\d+)*")
_DIGITS: Final = re.compile(r"\d+")
_CARD_LENGTHS: Final = range(13, 20)
# Minimum length of a group of digits, except for the last group of a card number.
_CARD_GROUP: Final = 3

_PHONE: Final = re.compile(
    r"(?<![\d+])(?:"
    r"(?:\+|00) ?\d(?:[ .()/-]{0,2}\d){7,14}"  # +33 6 …, 0044 20 …
    r"|0\d(?:[ ./-]?\d\d){4}"  # 06 12 34 56 78
    r"|0\d{2,4}[ -]\d{3,4}[ -]?\d{3,4}"  # 020 7946 0958
    r"|\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}"  # (555) 123-4567
    r")(?!\d)"
)

_WORD: Final = r"[^\W\d_][\w'’-]{0,40}"
_CAPITAL: Final = r"[A-ZÀ-ÖØ-Þ][\w'’-]{0,40}"
_STREET: Final = re.compile(
    r"(?<![\w.,/-])\d{1,5}(?: ?(?i:bis|ter|quater|[a-d]))?,? "
    r"(?:(?i:rue|avenue|av\.?|boulevard|boul\.?|bd|bld|chemin|ch\.|all[ée]e|impasse|place|quai"
    r"|route|rte|cours|square|passage|r[ée]sidence|faubourg|sentier|lotissement)"
    rf" (?:(?i:de|du|des|la|le|les|et|en|aux?) |(?i:l|d)['’] ?){{0,3}}{_WORD}(?: {_CAPITAL}){{0,3}}"
    rf"|(?:{_WORD} ){{1,3}}(?i:street|road|avenue|lane|drive|boulevard|court|close|crescent"
    r"|terrace|gardens|st|rd|ave|ln|dr|blvd)\b\.?)"
)
_TOWN: Final = re.compile(
    rf"(?<![\w.,/#-])\d{{5}} {_CAPITAL}(?:[ -]{_CAPITAL}){{0,3}}"
    r"|\b[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}\b"
)
_NAME: Final = rf"(?P<name>{_CAPITAL}(?: {_CAPITAL}){{0,2}})"
_INTRODUCED: Final = re.compile(
    rf"(?i:je m['’]appelle|mon nom est|my name is|(?:mr|mrs|ms|mme|mlle|m)\.?) {_NAME}"
)
_TITLE: Final = "(?i:madame|monsieur|mesdames|messieurs|mademoiselle|madam)"
_GREETED: Final = re.compile(
    r"(?m:^)(?i:bonjour|bonsoir|salut|coucou|ch[eè]re?|hello|hi|hey|dear) "
    rf"(?:{_TITLE} )?(?!{_TITLE}\b|(?i:sir|all|team|there)\b){_NAME} ?(?=[,!\n])"
)
_SIGNED: Final = re.compile(
    r"(?i:cordialement|bien [àa] vous|salutations|d['’]avance|merci|regards|thanks|thank you"
    rf"|sincerely|cheers|best)[ ,.!]{{0,5}}\n\n?{_NAME}[ ,.!]{{0,5}}\n?\Z"
)


def links(text: str) -> Iterator[PersonalData]:
    """Yield links that contain a token, a query or an email address. Other links are not personal
    data."""
    for match in _LINK.finditer(text):
        link = match[0].rstrip(_AFTER_LINK)
        path = link.partition("//")[2].partition("/")[2]
        if any(mark in link for mark in "?#@") or _TOKEN.search(path):
            yield PersonalData(PersonalKind.LINK, match.start(), match.start() + len(link))


def emails(text: str) -> Iterator[PersonalData]:
    """Yield the email addresses in a text."""
    return _shaped(PersonalKind.EMAIL, _EMAIL, text) if "@" in text else iter(())


def ibans(text: str) -> Iterator[PersonalData]:
    """Yield IBANs. A text in the format of an IBAN is treated as an IBAN if its checksum is valid,
    or if it contains no separator."""
    done = 0
    for start in _IBAN_START.finditer(text):
        if start.start() < done:
            continue
        rest = _IBAN_REST.match(text, start.end())
        end = _iban_end(text, start.start(), rest.end() if rest else start.end())
        if end is not None:
            done = end
            yield PersonalData(PersonalKind.IBAN, start.start(), end)


def cards(text: str) -> Iterator[PersonalData]:
    """Yield card numbers. A card number has 13 to 19 digits with a valid checksum, in one or more
    groups, or consists of four groups of four digits."""
    for run in _DIGIT_RUN.finditer(text):
        groups = [match.span() for match in _DIGITS.finditer(text, *run.span())]
        first = 0
        while first < len(groups):
            last = _card_end(text, groups, first)
            if last is not None:
                yield PersonalData(PersonalKind.CARD, groups[first][0], groups[last][1])
            first = first + 1 if last is None else last + 1


def phones(text: str) -> Iterator[PersonalData]:
    """Yield phone numbers in common French, British, American and international formats."""
    return _shaped(PersonalKind.PHONE, _PHONE, text)


def streets(text: str) -> Iterator[PersonalData]:
    """Yield street addresses that start with a house number, in French or English."""
    return _shaped(PersonalKind.STREET, _STREET, text)


def towns(text: str) -> Iterator[PersonalData]:
    """Yield town names with their postal codes."""
    return _shaped(PersonalKind.TOWN, _TOWN, text)


def names_said(text: str) -> Iterator[PersonalData]:
    """Yield the names with which people introduce themselves, greet each other or sign a
    message."""
    for pattern in (_INTRODUCED, _GREETED, _SIGNED):
        for match in pattern.finditer(text):
            yield PersonalData(PersonalKind.NAME, *match.span("name"))


def _shaped(kind: PersonalKind, pattern: re.Pattern[str], text: str) -> Iterator[PersonalData]:
    for match in pattern.finditer(text):
        yield PersonalData(kind, *match.span())


def _iban_end(text: str, start: int, end: int) -> int | None:
    """Return the end position of the longest IBAN that starts at `start` and ends no later than
    `end`. Return None if there is no IBAN."""
    spend(end - start)
    places = [place for place in range(start, end) if text[place].isalnum()]
    written = "".join(text[place] for place in places).upper()
    digits = "".join(str(int(letter, 36)) for letter in written[4:])
    head = "".join(str(int(letter, 36)) for letter in written[:4])
    # A letter counts as two digits, so the split position in `digits` depends on the letters before
    # it.
    ends = [0, *accumulate(1 if letter.isdigit() else 2 for letter in written[4:])]
    for length in _IBAN_LENGTHS:
        if length > len(places):
            continue
        stop = places[length - 1] + 1
        if text[stop : stop + 1].isalnum():
            continue
        is_unbroken = stop - start == length
        spend(length)
        if is_unbroken or int(digits[: ends[length - 4]] + head) % 97 == 1:
            return stop
    return None


def _card_end(text: str, groups: list[tuple[int, int]], first: int) -> int | None:
    """Return the index of the last group in the longest card number that starts at the group
    `first`. Return None if there is no card number."""
    digits, found = "", None
    for last in range(first, min(first + 19, len(groups))):
        begin, end = groups[last]
        is_short = end - begin < _CARD_GROUP
        if len(digits) + end - begin > _CARD_LENGTHS[-1] or (is_short and last == first):
            break
        digits += text[begin:end]
        by_four = last - first == 3 and len(digits) == 16
        if len(digits) in _CARD_LENGTHS and (by_four or _is_card(digits)):
            found = last
        if is_short:
            break
    return found


def _is_card(digits: str) -> bool:
    """Return True if the digits pass the Luhn check."""
    spend(len(digits))
    doubled = (int(digit) * (1 + place % 2) for place, digit in enumerate(reversed(digits)))
    return sum(value - 9 * (value > 9) for value in doubled) % 10 == 0
