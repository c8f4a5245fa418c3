"""Search a text for order numbers, which are identified by their context."""

import re
from collections.abc import Iterable
from typing import Final

from domain.intake.order_words import Around, around

_HIDDEN: Final = "\x00"
_END: Final = r"(?!\w)(?!-\w)"
_SUFFIX: Final = r"(?:-[A-Za-z0-9]{1,6})"
_NUMBER: Final = re.compile(
    rf"#?[ ]?(?P<number>[A-Za-z]{{1,5}}-?\d{{2,15}}{_SUFFIX}?|\d{{2,15}}{_SUFFIX}{{0,2}})" + _END
)
# A number with separators, used only where the text has announced a number.
_SPACED: Final = re.compile(
    r"#?[ ]?(?P<number>\d{1,3}(?:[ ]\d{2,3}){1,4}|\d{1,3}(?:[.,]\d{3}){1,3}|[A-Z]{1,4}[ ]\d{3,8})"
    + _END
)
_SPACED_ANSWER: Final = re.compile(r"\W{0,9}(?P<number>\d{1,3}(?:[ ]\d{2,3}){1,4})\W{0,9}\Z")
_LETTERS_APART: Final = re.compile(r"(?<![\w#.,/-])(?P<number>[A-Z]{1,4}[ ]\d{3,8})" + _END)
_MIXED: Final = re.compile(
    r"#?[ ]?(?P<number>(?=(?:[A-Za-z0-9-]{0,24}\d){2})"
    r"[A-Za-z0-9][A-Za-z0-9-]{2,23}[A-Za-z0-9])" + _END
)
_LETTERED: Final = re.compile(
    r"#?[ ]?(?P<number>(?=[A-Za-z]{1,15}\d)(?=(?:[A-Za-z]{0,8}\d){3})[A-Za-z0-9]{4,16})" + _END
)
# Order references of PrestaShop: nine capital letters.
_CAPITALS: Final = re.compile(r"#?[ ]?(?P<number>[A-Z]{9})(?![A-Za-z0-9])")
_HASH: Final = re.compile(
    rf"(?<![\w&/#=?.-])#[ ]?(?P<number>(?:[A-Za-z]{{1,4}}-?)?\d{{3,15}}{_SUFFIX}?|[A-Z]{{9}})"
    + _END
)
_DASHED: Final = re.compile(r"(?<![\w#-])(?P<number>(?P<prefix>[A-Za-z]{1,4})-\d{2,8})" + _END)
_BARE: Final = re.compile(r"(?<![\w#.,/-])(?P<number>\d{3,15}(?:-[A-Za-z0-9]{1,6})?)" + _END)
_SHORT: Final = re.compile(r"(?<![\w#.,/-])(?P<number>\d{1,2})" + _END)
_WORDED: Final = re.compile(r"(?<![\w#.,/-])(?P<number>[A-Za-z]{1,4}\d{3,10})" + _END)
_ARTICLE: Final = re.compile(
    r"(?<![A-Za-z])(?:la|celle|cette)[ ](?:n ?°[ ]?|num?[.]?[ ])?$", re.IGNORECASE
)
_OF_AN_ORDER: Final = re.compile(r"^(?:cancel|annul|suppr|stop)|[ ]la[ ]$", re.IGNORECASE)
_ONE: Final = re.compile(r"[ ]one(?![a-z])", re.IGNORECASE)
_THE: Final = re.compile(r"(?<![a-z])(?:the|my|that|this|ma|mon|la)[ ]$", re.IGNORECASE)
_SAID: Final = re.compile(r"[:=\n\"«»“”][ ]*$")
_DATE: Final = re.compile(r"(?:19|20)\d\d-\d{1,2}(?:-\d{1,2})?|\d{1,2}-\d{1,2}-\d{2,4}")
_PHONE: Final = re.compile(r"0\d{9}|00\d{8,13}|33\d{9}")
_STOP: Final = re.compile(r"[ ]*(?:$|[.,;:!?\n)])")
_LETTER: Final = re.compile("[A-Za-z°]")
_YEAR: Final = re.compile(r"(?:19\d\d|20[0-3]\d)")
_MAX_UNEXPLAINED: Final = 8
_NO: Final = re.compile(r"nos?", re.IGNORECASE)
_MAX_ASKED: Final = 13
_FEW_WORDS: Final = 12
_VERY_FEW: Final = 4
_BEFORE: Final = 40
_LATER: Final = 90


class Search:
    """A search for order numbers in one text, by position. `text` is the result of `unaccented`, so
    lower-casing keeps its length. If `asked` is true, the agent asked for the number."""

    def __init__(self, text: str, *, asked: bool) -> None:
        self._words: Around = around()
        self._asked = asked
        # Search for words in lower case because case-insensitive matching costs three times as
        # much.
        self._text, self._low = text, text.lower()
        never = self._words.never_with_at if "@" in text else self._words.never
        self._hide(match.span() for match in never.finditer(self._low))
        self._has_small_letters = re.search("[a-z]", text) is not None
        self._found: dict[int, str] = {}
        self._denied: set[int] = set()
        self._speaks = False

    def numbers(self) -> list[str]:
        """Return the order numbers in upper case, in text order."""
        self._led()
        self._hide(
            match.span()
            for match in self._words.hardly.finditer(self._low)
            if not any(place in self._found for place in range(*match.span()))
        )
        self._marked()
        self._near()
        about_orders = self._speaks or self._words.matters.search(self._low)
        if about_orders and not self._found and not self._asked:
            self._unexplained()
        return [self._found[place] for place in sorted(self._found)]

    def _led(self) -> None:
        """Find numbers that follow "order", "order number is", "n° de commande :" and similar
        words."""
        for lead in self._words.lead.finditer(self._low):
            between = lead["between"]
            said = (lead["before"], lead["compound"], lead["sign"], _LETTER.search(between))
            marked = any(said)
            if not marked and self._ends(self._words.acting, lead.start()):
                continue
            self._speaks = True
            match = self._number_at(lead.end(), marked=marked)
            if match is None:
                if marked:
                    self._later(lead.end())
                continue
            if lead["denied"]:
                self._denied.add(match.start("number"))
                self._mended(match.end())
            elif self._is_number(match, marked=marked):
                self._take(match)

    def _later(self, place: int) -> None:
        """Find a number announced earlier and marked by a colon or a quotation mark, as in "The
        number of my order, as I said: 1042"."""
        for match in _BARE.finditer(self._text, place, place + _LATER):
            said = _SAID.search(self._text, max(place, match.start() - 3), match.start())
            if said and len(match["number"]) > 3 and self._is_number(match, marked=False):
                self._take(match)
                return

    def _marked(self) -> None:
        """Find numbers with a mark: "n° 1042", "#1042", "ref. AB-12"."""
        for match in _HASH.finditer(self._text):
            self._take(match)
        for mark in self._words.mark.finditer(self._low):
            if self._ends(self._words.other, mark.start()):
                continue
            bare_no = _NO.fullmatch(mark["mark"]) and not mark["between"].strip()
            if bare_no and not self._introduced(mark.start()):
                continue
            found = self._number_at(mark.end(), marked=True)
            if found and self._is_number(found, marked=True) and len(found["number"]) > 2:
                self._take(found)

    def _introduced(self, place: int) -> bool:
        return _THE.search(self._text, max(0, place - 6), place) is not None or place == 0

    def _near(self) -> None:
        """Find numbers by adjacent words: "my 1031 order", "the 2040 one", "W-55121", "refund
        1042", "la 2040".

        In an answer to the agent's question, find any number without another meaning.
        """
        asked_about = set()
        for request in self._words.request.finditer(self._low):
            asked_about.add(request.end())
            match = _BARE.match(self._text, request.end())
            # Accept the number in "Annulez la 808", but not in "refund 150", where it may be an
            # amount.
            least = 3 if _OF_AN_ORDER.search(request[0]) else 4
            if match and len(match["number"]) >= least and not self._is_counted(match):
                self._take(match)
        for match in _DASHED.finditer(self._text):
            if self._is_dashed(match, named=match.start() in asked_about):
                self._take(match)
        if self._asked and self._has_small_letters:
            for match in _LETTERS_APART.finditer(self._text):
                self._take(match)
            self._hide(match.span() for match in _LETTERS_APART.finditer(self._text))
        for match in _BARE.finditer(self._text):
            if self._is_near(match):
                self._take(match)
        if self._asked:
            self._answered()

    def _unexplained(self) -> None:
        """Find a number without context in a text that is about orders and contains no other order
        number."""
        for match in _BARE.finditer(self._text):
            number = match["number"]
            likely = 4 <= len(number) <= _MAX_UNEXPLAINED and not _YEAR.fullmatch(number)
            if likely and not (self._is_aside(match) or self._is_counted(match)):
                self._take(match)

    def _answered(self) -> None:
        """Find the order number in an answer of few words, such as "FR1042", "XKBKNABJK" or "7"."""
        if spaced := _SPACED_ANSWER.match(self._text):
            self._found = {spaced.start("number"): _written(spaced["number"])}
            return
        words = len(self._text.split())
        limits = ((_WORDED, _FEW_WORDS), (_CAPITALS, _FEW_WORDS), (_SHORT, _VERY_FEW))
        for pattern, most in limits:
            for match in pattern.finditer(self._text) if words <= most else ():
                if not self._is_aside(match):
                    self._take(match)

    def _is_dashed(self, match: re.Match[str], *, named: bool) -> bool:
        is_model = match["prefix"].lower() in self._words.models
        if is_model or self._ends(self._words.other, match.start()):
            return False
        named = named or self._asked or self._ends(_THE, match.start())
        return self._digits(match) > (1 if named else 2)

    def _is_near(self, match: re.Match[str]) -> bool:
        number, begins, ends = match["number"], match.start(), match.end()
        if self._is_counted(match) or _PHONE.fullmatch(number):
            return False
        if self._asked:
            return not self._is_aside(match) and len(number) <= _MAX_ASKED
        if len(number) < 4:
            return False
        joins = self._words.joins.match(self._low, ends)
        following = _BARE.match(self._text, joins.end()) if joins else None
        last = following.end() if following else ends
        if self._words.behind.match(self._low, last):
            return True
        if _ONE.match(self._text, ends) and self._ends(_THE, begins):
            return True
        return self._ends(_ARTICLE, begins)

    def _is_aside(self, match: re.Match[str]) -> bool:
        begins = match.start()
        return self._ends(self._words.aside, begins) or self._ends(self._words.other, begins)

    def _is_counted(self, match: re.Match[str]) -> bool:
        return self._words.unit.match(self._low, match.end()) is not None

    def _ends(self, pattern: re.Pattern[str], place: int) -> bool:
        return pattern.search(self._low[max(0, place - _BEFORE) : place]) is not None

    def _number_at(self, place: int, *, marked: bool) -> re.Match[str] | None:
        """Return the match of a number at this position, or None. A number with separators, such as
        "10 233", is preferred to its first part."""
        match = _SPACED.match(self._text, place)
        if match and (self._digits(match) > 3 or match["number"][0].isalpha()):
            shouted = match["number"][0].isalpha() and not self._has_small_letters
            if not shouted and not self._is_counted(match):
                return match
        patterns = (_NUMBER, _MIXED if marked else _LETTERED, _CAPITALS)
        return next(filter(None, (pattern.match(self._text, place) for pattern in patterns)), None)

    def _digits(self, match: re.Match[str]) -> int:
        return sum(sign.isdigit() for sign in match["number"])

    def _is_number(self, match: re.Match[str], *, marked: bool) -> bool:
        number, digits = match["number"], self._digits(match)
        if not digits:
            # In an all-capitals text, any word may look like a number.
            return self._has_small_letters
        if _DATE.fullmatch(number) or _PHONE.fullmatch(number.replace(" ", "")):
            return False
        if marked:
            return digits >= 2 and not (digits < 3 and self._is_counted(match))
        if not number[0].isdigit():
            return True
        alone = _STOP.match(self._text, match.end()) is not None
        return digits >= (2 if alone else 3) and not self._is_counted(match)

    def _take(self, match: re.Match[str]) -> None:
        """Record an order number, and the numbers listed after it."""
        while True:
            begins, number = match.start("number"), match["number"]
            if begins in self._found or begins in self._denied:
                return
            # Split "2040-2042" into two numbers, but keep "2024-1042" as one number.
            first, _, last = number.partition("-")
            if len(first) == len(last) > 3 and last.isdigit() and not _YEAR.fullmatch(first):
                self._found[begins] = first
                begins, number = begins + len(first) + 1, last
            self._found[begins] = _written(number)
            joins = self._words.joins.match(self._low, match.end())
            following = _NUMBER.match(self._text, joins.end()) if joins else None
            if following is None or not self._is_like(following, number):
                return
            match = following

    def _is_like(self, match: re.Match[str], number: str) -> bool:
        """Return True if a number after "and" is of the same kind as the previous number."""
        there = match["number"]
        if self._is_counted(match) or self._digits(match) < 3:
            return there[0].isalpha() and number[0].isalpha()
        same_kind = there[0].isalpha() == number[0].isalpha()
        return same_kind and abs(len(there) - len(number)) <= 1

    def _mended(self, place: int) -> None:
        """Find the corrected number after a denied number, as in "… is not 8019 but 8190"."""
        mended = self._words.mended.match(self._low, place)
        if mended and mended.end() > place + 1:
            match = _NUMBER.match(self._text, mended.end())
            if match and self._is_number(match, marked=True):
                self._take(match)

    def _hide(self, spans: Iterable[tuple[int, int]]) -> None:
        hidden = tuple(spans)
        if hidden:
            self._text, self._low = _without(hidden, self._text), _without(hidden, self._low)


def _without(hidden: Iterable[tuple[int, int]], text: str) -> str:
    parts: list[str] = []
    shown = 0
    for begins, ends in hidden:
        parts += (text[shown:begins], _HIDDEN * (ends - begins))
        shown = ends
    return "".join((*parts, text[shown:]))


def _written(number: str) -> str:
    prefix, _, rest = number.partition(" ")
    if prefix.isalpha() and rest:
        return f"{prefix}-{rest}".upper()
    return re.sub(r"[ .,]", "", number).upper()
