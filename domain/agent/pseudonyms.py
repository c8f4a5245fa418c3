"""Pseudonyms replace personal data in texts for a model provider, and can be restored exactly.

They cover email addresses, phone numbers, card numbers, IBANs and postal addresses. Names are not
replaced.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Final

from domain.core import personal_data
from domain.core.personal_data import PersonalData, PersonalKind
from domain.core.text import fold

_NAMES: Final = {
    PersonalKind.EMAIL: "EMAIL",
    PersonalKind.IBAN: "IBAN",
    PersonalKind.CARD: "CARD",
    PersonalKind.PHONE: "PHONE",
    PersonalKind.STREET: "ADDRESS",
    PersonalKind.TOWN: "ADDRESS",
}
# Text that already looks like a mark is replaced too, so that marks are unambiguous.
_TEXT: Final = "TEXT"
_KINDS: Final = "|".join((*dict.fromkeys(_NAMES.values()), _TEXT))
# The length is bounded, because a model may repeat the mark of a long text.
_MARK: Final = re.compile(rf"\[(?:{_KINDS})-\d{{1,6}}\]")
_FINDERS: Final[tuple[Callable[[str], Iterator[PersonalData]], ...]] = (
    personal_data.emails,
    personal_data.ibans,
    personal_data.cards,
    personal_data.phones,
    personal_data.streets,
    personal_data.towns,
)
# An order number before a capital letter looks like a postal code before a town.
_NUMBER_NEXT: Final = re.compile(
    r"(?:order|commande|num[eé]ro|number|n[°ºo]\.?|#) ?$", re.IGNORECASE
)
_BEFORE: Final = 12
# A date before a time of day looks like a phone number.
_DATE: Final = re.compile(r"\d\d([/.-])\d\d\1(?:19|20)\d\d")


class Pseudonyms:
    """The pseudonyms of one request to a model. Equal values get the same pseudonym. Values in
    `kept`, such as the order's number, are not replaced."""

    def __init__(self, *kept: str) -> None:
        self._kept = frozenset(kept)
        self._marks: dict[tuple[str, str], str] = {}
        self._values: dict[str, str] = {}
        self._numbers: Counter[str] = Counter()

    def hide(self, text: str) -> str:
        """Return the text with a mark in place of each personal value. `restore` returns the
        original text."""
        parts, done = list[str](), 0
        for start, end, name in sorted(self._found(text), key=lambda one: (one[0], -one[1])):
            if start >= done:
                parts += [text[done:start], self._mark(name, text[start:end])]
                done = end
        return "".join([*parts, text[done:]])

    def hide_folded(self, text: str) -> str:
        """Return a text in lower case and without accents, with marks in place of personal values.
        Values that `hide` has seen with capitals or accents are replaced too."""
        for value, mark in self._folded():
            text = text.replace(value, mark)
        parts, done = list[str](), 0
        for match in _MARK.finditer(text):
            own = match[0] if match[0] in self._values else self.hide(match[0])
            parts += [self.hide(text[done : match.start()]), own]
            done = match.end()
        return "".join([*parts, self.hide(text[done:])])

    def restore(self, text: str) -> str:
        """Return the text with the original values in place of this request's marks."""
        return _MARK.sub(lambda match: self._values.get(match[0], match[0]), text)

    def has_unknown(self, text: str) -> bool:
        """Return True if the text contains a mark that this request did not use."""
        return any(match[0] not in self._values for match in _MARK.finditer(text))

    def _found(self, text: str) -> Iterator[tuple[int, int, str]]:
        for match in _MARK.finditer(text):
            yield (*match.span(), _TEXT)
        for find in _FINDERS:
            for one in find(text):
                is_kept = text[one.start : one.end] in self._kept
                if not is_kept and not _is_misread(text, one):
                    yield one.start, one.end, _NAMES[one.kind]

    def _mark(self, name: str, value: str) -> str:
        known = self._marks.get((name, value))
        if known is None:
            self._numbers[name] += 1
            known = self._marks[name, value] = f"[{name}-{self._numbers[name]}]"
            self._values[known] = value
        return known

    def _folded(self) -> Iterator[tuple[str, str]]:
        longest_first = sorted(self._values.items(), key=lambda one: -len(one[1]))
        return ((fold(value), mark) for mark, value in longest_first if fold(value))


class NoPseudonyms(Pseudonyms):
    """Pseudonyms that replace nothing, for an installation with pseudonyms turned off."""

    def hide(self, text: str) -> str:
        return text


def _is_misread(text: str, one: PersonalData) -> bool:
    """Return True for an order number that looks like a town, and a date that looks like a phone
    number."""
    if one.kind is PersonalKind.PHONE:
        return bool(_DATE.match(text, one.start))
    before = text[max(one.start - _BEFORE, 0) : one.start]
    return one.kind is PersonalKind.TOWN and bool(_NUMBER_NEXT.search(before))
