"""Anonymize a text: replace personal data with made-up values."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import count
from typing import Final

from domain.core import personal_data
from domain.core.effort import spend
from domain.core.personal_data import PersonalData, PersonalKind
from domain.core.text import fold

# Private-use characters mark replaced values in intermediate texts because no pattern for personal
# data matches them.
_FIRST_MARK: Final = 0xF0000
_OWN_MARKS: Final = re.compile("[\U000f0000-\U000ffffd]")
_PASSES: Final = 15

_PEOPLE: Final = (("Camille", "Martin"), ("Dominique", "Bernard"), ("Alix", "Robert"))
MADE_UP_NAMES: Final = tuple(part for pair in _PEOPLE for part in pair)
"""First and last names of made-up customers."""

_OTHER_EMAIL: Final = "autre@example.org"
_PHONES: Final = ("+33 6 39 98 00 00", "06 39 98 00 00")
"""Phone numbers from a range that the French regulator reserves for fiction."""

_FIXED: Final = {
    PersonalKind.LINK: "https://example.com/lien",
    PersonalKind.IBAN: "FR76 3000 6000 0112 3456 7890 189",
    PersonalKind.CARD: "4242 4242 4242 4242",
    PersonalKind.STREET: "12 rue de l'Exemple",
    PersonalKind.TOWN: "75001 Paris",
}
MADE_UP_PLACES: Final = (_FIXED[PersonalKind.STREET], _FIXED[PersonalKind.TOWN])
_LETTERS: Final = re.compile(r"[^\W\d_]+")
_ALNUM: Final = re.compile("[A-Za-z0-9]")
_WORD: Final = re.compile(r"[^\W\d_]{3,}(?=.*\d)")
_SHORT: Final = 3
"""Minimum length of a name part that is replaced on its own. Shorter parts, such as "de" and "Le",
are replaced only within the whole name."""


class MadeUpPerson:
    """The made-up customer who replaces a real customer, with a different name and address."""

    def __init__(self, email: str | None, name: str | None) -> None:
        real = set(_LETTERS.findall(fold(name or "")))
        address = (email or "").casefold()
        fitting = (
            pair
            for pair in _PEOPLE
            if not real & {fold(part) for part in pair} and _address(*pair) != address
        )
        self.first, self.last = next(fitting, _PEOPLE[0])
        self.name = f"{self.first} {self.last}"
        self.email = _address(self.first, self.last)


def anonymized(
    text: str, *, email: str | None, name: str | None, order_numbers: Sequence[str]
) -> str:
    """Return the text with personal data replaced.

    Replaces email addresses, phone numbers, IBANs, card numbers, street addresses, links with a
    token, the customer's `name` and the `order_numbers`. The result is deterministic, and already
    anonymized text stays unchanged. Takes linear time.
    """
    spend(_PASSES * len(text))
    person, numbers = MadeUpPerson(email, name), made_up_numbers(order_numbers)
    veiled = _Veiled(text)
    veiled.keep((person.email, person.name, person.first, person.last))
    veiled.keep((_OTHER_EMAIL, *_PHONES, *_FIXED.values(), *numbers.values()))
    veiled.replace(personal_data.links, _fixed)
    own = (email or "").casefold()
    veiled.replace(
        personal_data.emails,
        lambda _, value: person.email if value.casefold() == own else _OTHER_EMAIL,
    )
    veiled.replace(personal_data.ibans, _fixed)
    veiled.replace(personal_data.cards, _fixed)
    for number, made_up in numbers.items():
        veiled.replace_folded(_number_pattern(number), made_up)
    veiled.replace(personal_data.phones, lambda _, value: _PHONES["+" not in value])
    for pattern, part in _name_patterns(name, person):
        veiled.replace_folded(pattern, part)
    for find in (personal_data.streets, personal_data.towns):
        veiled.replace(find, _fixed)
    said = partial(_said, person)
    veiled.replace(personal_data.names_said, said)
    return veiled.text


def made_up_numbers(order_numbers: Sequence[str]) -> dict[str, str]:
    """Return a made-up number in the same format for each order number, for `anonymized`. None of
    them is in `order_numbers`."""
    taken = {_key(number) for number in order_numbers}
    made: dict[str, str] = {}
    for number in order_numbers:
        if not _key(number) or _key(number) in map(_key, made):
            continue
        made_up = next(one for one in _shaped_like(number) if _key(one) not in taken)
        made[number] = made_up
        taken.add(_key(made_up))
    return made


class _Veiled:
    """A text in which each made-up value is masked by one marker character, so that later patterns
    do not match the value."""

    def __init__(self, text: str) -> None:
        self._text = _OWN_MARKS.sub("", text)
        self._marks: dict[str, str] = {}

    @property
    def text(self) -> str:
        values = {mark: value for value, mark in self._marks.items()}
        return _OWN_MARKS.sub(lambda match: values[match[0]], self._text)

    def keep(self, values: Iterable[str]) -> None:
        """Mask made-up values in the text, so that they are not replaced again."""
        for value in values:
            if value in self._text:
                pattern = re.compile(rf"(?<![\w.@+-]){re.escape(value)}(?![\w@])")
                self._text = pattern.sub(self._mark(value), self._text)

    def replace(
        self,
        find: Callable[[str], Iterator[PersonalData]],
        made_up: Callable[[PersonalData, str], str],
    ) -> None:
        text = self._text
        self._put(
            (one.start, one.end, made_up(one, text[one.start : one.end])) for one in find(text)
        )

    def replace_folded(self, pattern: re.Pattern[str], made_up: str) -> None:
        """Replace the matches of a pattern. Case and accents are ignored."""
        folded, places = _folded(self._text)
        self._put(
            (places[match.start()], _end(self._text, places[match.end() - 1] + 1), made_up)
            for match in pattern.finditer(folded)
        )

    def _put(self, found: Iterable[tuple[int, int, str]]) -> None:
        parts, done = [], 0
        for start, end, value in sorted(found):
            if start >= done:
                parts += [self._text[done:start], self._mark(value)]
                done = end
        self._text = "".join([*parts, self._text[done:]])

    def _mark(self, value: str) -> str:
        return self._marks.setdefault(value, chr(_FIRST_MARK + len(self._marks)))


def _folded(text: str) -> tuple[str, Sequence[int]]:
    """Return the text in lower case without accents, and the position in `text` for each character
    of the result."""
    if text.isascii():
        return text.lower(), range(len(text))
    letters: Mapping[str, str] = {letter: fold(letter) for letter in set(text)}
    places = [place for place, letter in enumerate(text) for _ in letters[letter]]
    return "".join(letters[letter] for letter in text), places


def _end(text: str, end: int) -> int:
    """Return the end position of a match, extended by the combining marks that belong to its last
    letter."""
    while end < len(text) and not text[end].isascii() and not fold(text[end]):
        end += 1
    return end


def _fixed(one: PersonalData, _: str) -> str:
    return _FIXED[one.kind]


def _said(person: MadeUpPerson, _: PersonalData, value: str) -> str:
    return person.name if " " in value else person.first


def _address(first: str, last: str) -> str:
    return f"{first}.{last}@example.com".lower()


def _name_patterns(name: str | None, person: MadeUpPerson) -> Iterator[tuple[re.Pattern[str], str]]:
    """Yield patterns for the customer's name, each with its replacement. The whole name in either
    order comes first, then each part of the name."""
    parts = _LETTERS.findall(fold(name or ""))
    if sum(map(len, parts)) < _SHORT:
        return
    if len(parts) > 1:
        for order in (parts, parts[::-1]):
            yield _words(r"[\W_]{1,3}".join(map(re.escape, order))), person.name
    for part in dict.fromkeys(parts):
        if len(part) >= _SHORT:
            yield _words(re.escape(part)), person.last if part == parts[-1] else person.first


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![^\W\d_]){pattern}(?![^\W\d_])")


def _number_pattern(number: str) -> re.Pattern[str]:
    """Return a pattern that matches an order number with common separators, but not within a longer
    number."""
    letters = _ALNUM.findall(number.lower())
    grouped = "[ -]?".join(letters)
    if len(letters) > _SHORT and all(letter.isdigit() for letter in letters):
        digits = "".join(letters)
        grouped += f"|{digits[:-3]}[.,]{digits[-3:]}"
    before = r"\d" if letters[0].isdigit() else "[a-z]"
    after = r"\d" if letters[-1].isdigit() else "[a-z]"
    return re.compile(rf"(?<!{before})(?:{grouped})(?!{after})")


def _key(number: str) -> str:
    return "".join(_ALNUM.findall(number)).upper()


def _shaped_like(number: str) -> Iterator[str]:
    """Yield made-up numbers in the format of an order number, with other digits in the same
    positions and other letters in place of words.

    If the order number has no digits, the made-up numbers differ in their letters.
    """
    number = _WORD.sub(lambda match: ("REF" * len(match[0]))[: len(match[0])], number)
    digits = sum(letter.isdigit() for letter in number)
    if not digits:
        for turn in count():
            word = ("EXEMPLAIRE" * len(number))[: len(number) - 1] + chr(ord("A") + turn % 26)
            yield word if turn < 26 else f"{word}{turn}"
    first = 7 * 10 ** (digits - 1) + 1
    for other in count(first):
        left = iter(str(other))
        shaped = "".join(next(left) if letter.isdigit() else letter for letter in number)
        yield shaped + "".join(left)
