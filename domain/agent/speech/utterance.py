"""Split a text into sentences, and each sentence into runs of words between punctuation marks."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from typing import Final

from domain.agent.size_limits import READ_CHARS
from domain.core.effort import spend
from domain.core.text import fold

# Maximum number of words and punctuation marks. A message that has at most `READ_CHARS` characters
# normally has fewer.
_READ_TOKENS: Final = 2_500
_NUMBER: Final = r"(?:[A-Za-z]{1,6}-?)?\d[\w-]*"
_MONEY: Final = (
    r"(?:€|£|\$|chf|(?:euros?|eur|usd|gbp|dollars?|pounds?|francs?|balles|quid|bucks|cad|aud)\b)"
)
_TOKEN: Final = re.compile(
    rf"(?P<sum>(?:[€£$]|\b(?:eur|usd|gbp|chf) )[ ]?\d[\d.,]*"
    rf"|(?<![\w-])\d[\d.,' ]{{0,12}}?(?:[.,]\s?[–-])?[ ]?{_MONEY}"
    r"|(?<![\w-])\d{1,6}[.,]\d\d\b(?![.,]?\d))"
    r"|(?P<percent>\d[\d.,]{0,8}[ ]?%)"
    rf"|(?P<number>(?:[#№][ ]?)?(?<!\w){_NUMBER}|\d+)"
    r"|(?P<word>\b[sS]\.? ?[vtVT]\.? ?[pP]\b\.?(?!\w)|[^\W\d_]+(?:['’ʼ`´][^\W\d_]+)*['’]?)"
    r"|(?P<quote>[“”„«»\"])"
    r"|(?P<pause>\.\.+|…)"
    r"|(?P<ask>[?？]+)|(?P<end>[.!。！☀-➿\U0001F000-\U0001FAFF]+|\n[ \t]*\n\s*)|(?P<line>\n)"
    r"|(?P<colon>:)|(?P<mark>[,;()\[\]{}–—]|(?<=\s)-+(?=\s)|/)",
    re.IGNORECASE,
)
_ELIDED: Final = {
    "j": "je", "l": "le", "d": "de", "n": "ne", "m": "me", "t": "te", "s": "se", "c": "ce",
    "qu": "que", "jusqu": "jusque", "lorsqu": "lorsque", "puisqu": "puisque",
}  # fmt: skip
# After these words, "'s" is a contraction ("it's"). After other words, "'s" is a possessive
# ("sister's") and is dropped.
_CONTRACTED: Final = frozenset(
    {
        "it",
        "that",
        "let",
        "what",
        "here",
        "there",
        "he",
        "she",
        "who",
        "where",
        "how",
        "when",
        "why",
    }
)
_APOSTROPHES: Final = re.compile(r"['’ʼ`´]")
_BEFORE_NUMBERS: Final = frozenset(
    {"no", "nr", "n", "num", "ref", "cde", "cmd", "nos", "order", "ord"}
)


class Mark(StrEnum):
    """The punctuation mark before a run of words."""

    START = "start"
    COMMA = "comma"
    COLON = "colon"
    PAUSE = "pause"
    LINE = "line"


@dataclass(frozen=True, slots=True)
class Word:
    """A word in a text. `folded` is its canonical spelling. `shape` is "word", "number", "sum" or
    "percent". `start` and `end` are offsets in the text."""

    folded: str
    shape: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Run:
    """Consecutive words without a punctuation mark between them. `before` is the mark that precedes
    them."""

    words: tuple[Word, ...]
    before: Mark


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, as runs of words. `asks` means that it ends with a question mark, and
    `introduces` with a colon."""

    runs: tuple[Run, ...]
    asks: bool = False
    introduces: bool = False


@dataclass(frozen=True, slots=True)
class Utterance:
    """A text, as sentences without quotations. `quoted` contains the words between quotation marks
    or after "> ". `whole` means that the text was not cut."""

    sentences: tuple[Sentence, ...]
    quoted: tuple[Word, ...]
    whole: bool


def utterance(text: str) -> Utterance:
    """Split the first `READ_CHARS` characters of a text into sentences. Never raises."""
    read = text[:READ_CHARS]
    spend(len(read))
    reader = _Reader()
    quoted = _quoted(read)
    tokens = _TOKEN.finditer(read)
    for match in islice(tokens, _READ_TOKENS):
        reader.take(match, inside=_within(match.start(), quoted), text=read)
    whole = len(text) <= READ_CHARS and next(tokens, None) is None
    return Utterance(reader.finish(), tuple(reader.quoted), whole)


class _Reader:
    def __init__(self) -> None:
        self.sentences: list[Sentence] = []
        self.quoted: list[Word] = []
        self._runs: list[Run] = []
        self._words: list[Word] = []
        self._before = Mark.START

    def take(self, match: re.Match[str], *, inside: bool, text: str) -> None:
        shape = match.lastgroup or ""
        if shape in {"word", "number", "sum", "percent"}:
            (self.quoted if inside else self._words).extend(_words(match, shape))
        elif inside:
            return
        elif shape == "line":
            self._end_line(text, match)
        elif shape == "pause":
            self._end_run(Mark.PAUSE)
        elif shape in {"colon", "mark", "quote"}:
            self._end_run(Mark.COLON if shape == "colon" else Mark.COMMA)
        elif shape in {"ask", "end"} and not self._numbers_mark(text, match):
            self._end_sentence(asks=shape == "ask")

    def finish(self) -> tuple[Sentence, ...]:
        self._end_sentence()
        return tuple(self.sentences)

    def _numbers_mark(self, text: str, match: re.Match[str]) -> bool:
        """Return True if the full stop is part of a number, as in "no. 1042"."""
        behind = text[match.end() : match.end() + 3].lstrip(" #°")
        return (
            match[0] == "."
            and bool(self._words)
            and self._words[-1].folded in _BEFORE_NUMBERS
            and behind[:1].isdigit()
        )

    def _end_line(self, text: str, match: re.Match[str]) -> None:
        """Process a line break: end the sentence, unless the next line starts in lower case and
        continues it."""
        behind = text[match.end() : match.end() + 40].lstrip(" \t>*•-")
        line = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
        if behind[:1].islower() and len(line) >= 50:
            return
        if behind[:1].islower() or (len(self._words) == 1 and self._words[0].shape == "number"):
            self._end_run(Mark.LINE)
        else:
            self._end_sentence()

    def _end_run(self, mark: Mark) -> None:
        if self._words:
            self._runs.append(Run(tuple(self._words), self._before))
            self._words = []
            self._before = mark
        elif mark is Mark.COLON or self._before is not Mark.COLON:
            self._before = mark if self._runs else Mark.START

    def _end_sentence(self, *, asks: bool = False) -> None:
        introduces = self._before is Mark.COLON and not self._words
        self._end_run(Mark.START)
        if self._runs:
            self.sentences.append(Sentence(tuple(self._runs), asks, introduces))
        elif asks and self.sentences and not self.sentences[-1].asks:
            last = self.sentences.pop()
            self.sentences.append(Sentence(last.runs, True, last.introduces))
        self._runs, self._before = [], Mark.START


def _words(match: re.Match[str], shape: str) -> Iterator[Word]:
    """Yield the word of a match. Yield two words if the first is elided, as in "l'annulation"."""
    start, end = match.span()
    if shape == "number" and len(match[0]) < 3 and not match[0].isdigit():
        shape = "word"
    elif shape != "word":
        yield Word(fold(match[0]).strip("# "), shape, start, end)
        return
    if "." in match[0] or " " in match[0]:
        yield Word("svp" if "v" in fold(match[0]) else "stp", shape, start, end)
        return
    parts = _APOSTROPHES.split(fold(match[0]))
    while len(parts) > 1 and parts[0] in _ELIDED:
        yield Word(_ELIDED[parts.pop(0)], shape, start, end)
    if len(parts) > 1 and parts[-1] == "s" and parts[0] not in _CONTRACTED:
        parts.pop()
    yield Word("".join(parts), shape, start, end)


_QUOTES: Final = re.compile(
    r"(?P<line>^[ \t]{0,3}>[^\n]*$)|«[^»]*(?:»|\Z)|“[^”“]*(?:”|\Z)|„[^”“]*(?:[”“]|\Z)"
    r"|(?<!\d)\"[^\"]*(?:\"|\Z)|(?<![\w'’])['‘](?=\w)[^'‘’\n]{1,300}"
    r"(?:(?<=\w)['’](?=\w)[^'‘’\n]{1,300}){0,20}['’](?!\w)",
    re.MULTILINE,
)


def _quoted(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in _QUOTES.finditer(text)]


def _within(place: int, spans: list[tuple[int, int]]) -> bool:
    """Return True if a position is inside a span. Positions must not decrease between calls,
    because the function removes the spans that it has passed."""
    while spans and spans[0][1] <= place:
        spans.pop(0)
    return bool(spans) and spans[0][0] <= place
