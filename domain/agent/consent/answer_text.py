"""Split a short answer into words, and the words into runs between punctuation marks."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from domain.core.effort import spend
from domain.core.text import fold

MAX_ANSWER_CHARS: Final = 2_000
_MONEY: Final = r"(?:€|£|\$|chf\b|(?:euros?|eur|usd|gbp|dollars?|pounds?|francs?|cad)\b)"
_TOKEN: Final = re.compile(
    rf"(?P<sum>(?:[€£$]|\beur )[ ]?\d[\d.,]*|(?<![\w-])\d[\d.,]{{0,12}}[ ]?{_MONEY}"
    r"|(?<![\w-])\d{1,6}[.,]\d\d\b(?![.,]?\d))"
    r"|(?P<percent>\d[\d.,]{0,8}[ ]?%)"
    r"|(?P<number>(?:[#№][ ]?)?(?<!\w)(?:[A-Za-z]{1,6}-?)?\d[\w-]*|\d+)"
    r"|(?P<word>\b[sS]\.? ?[vtVT]\.? ?[pP]\b\.?(?!\w)|[^\W\d_]+(?:['’ʼ`´][^\W\d_]+)*['’]?)"
    r"|(?P<quote>[“”„«»\"])"
    r"|(?P<ask>[?？]+)|(?P<end>[.!。！…☀-➿\U0001F000-\U0001FAFF]+)|(?P<line>\n)"
    r"|(?P<mark>[:,;()\[\]{}–—]|(?<=\s)-+(?=\s)|/)",
    re.IGNORECASE,
)
_ELIDED: Final = {
    "j": "je", "l": "le", "d": "de", "n": "ne", "m": "me", "t": "te", "s": "se", "c": "ce",
    "qu": "que",
}  # fmt: skip
_APOSTROPHES: Final = re.compile(r"['’ʼ`´]")
_QUOTED_WORD: Final = re.compile(r"(?<![\w'’])['‘]\w|^[ \t]{0,3}>", re.MULTILINE)
_BEFORE_NUMBERS: Final = frozenset({"no", "nr", "n", "num", "ref", "cde", "cmd"})
_TITLES: Final = frozenset({"mr", "mrs", "ms", "dr", "mme", "mlle", "m"})
_ATTRIBUTION: Final = re.compile(
    r"(?:on|le|el|am|il|op)\b[^\n]{0,60}\d[^\n]{0,160}"
    r"(?:wrote|a écrit|schrieb|ha scritto|escribió|schreef)[^\n]{0,60} ?:",
    re.IGNORECASE,
)
_ORIGINAL: Final = re.compile(
    r"-{3,} ?(?:original message|message d['’]origine|message original) ?-{3,}", re.IGNORECASE
)
_ATTRIBUTION_LINES: Final = 3
_NUMBER_SIGN: Final = re.compile(r"\b[nN][°º]")
_WRAPPED: Final = re.compile(r"(?<=[^\n]{40})\n(?=[a-zà-ÿ])")


@dataclass(frozen=True, slots=True)
class AnswerWord:
    """A word in an answer. `folded` is its canonical spelling. `shape` is "word", "number", "sum"
    or "percent". `start` and `end` are offsets in the text."""

    folded: str
    shape: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class AnswerRun:
    """Consecutive words without punctuation between them. `asks` means that a question mark
    follows. If `opens` is true, the run starts a sentence or line. If `closes` is true, it ends
    one."""

    words: tuple[AnswerWord, ...]
    opens: bool
    closes: bool
    asks: bool = False


@dataclass(frozen=True, slots=True)
class AnswerText:
    """An answer, split into runs of words. `plain` means that the whole text was parsed and
    contains no quotation. `asks` means that the text has a question mark without words before
    it."""

    runs: tuple[AnswerRun, ...]
    plain: bool
    asks: bool = False


def without_question(text: str, number: str) -> str:
    """Return the customer's answer without the agent's quoted question.

    Lines marked with ">" or an email below the answer are removed only if they mention the order
    `number`. A text that consists only of quoted lines is returned unchanged.
    """
    if len(text) > MAX_ANSWER_CHARS:
        return text
    lines = text.rstrip().split("\n")
    end = next((at for at, line in enumerate(lines) if _ORIGINAL.fullmatch(line.strip())), None)
    kept: list[str] = []
    for line in lines[:end]:
        if not line.lstrip().startswith(">"):
            kept.append(line)
        elif kept:
            kept = _without_attribution(kept)
    own = "\n".join(kept).strip()
    quoted = [line for line in lines[:end] if line.lstrip().startswith(">")]
    quoted += lines[end:] if end is not None else []
    names_order = bool(number) and number.casefold() in "\n".join(quoted).casefold()
    return own if own and names_order else text


def _without_attribution(lines: list[str]) -> list[str]:
    """Return the lines without a trailing “On … wrote:” attribution, which may span several
    lines."""
    kept = lines
    while kept and not kept[-1].strip():
        kept = kept[:-1]
    for count in range(1, min(_ATTRIBUTION_LINES, len(kept)) + 1):
        if _ATTRIBUTION.fullmatch(" ".join(kept[-count:]).strip()):
            return kept[:-count]
    return lines


def answer_text(text: str) -> AnswerText:
    """Split an answer into runs of words, in linear time. Never raises."""
    read = _WRAPPED.sub(" ", text[:MAX_ANSWER_CHARS])
    read = _NUMBER_SIGN.sub("  ", read)
    spend(len(read))
    runs: list[AnswerRun] = []
    words: list[AnswerWord] = []
    opens, asks, plain = True, False, len(text) <= MAX_ANSWER_CHARS
    plain = plain and not _QUOTED_WORD.search(read)
    for match in _TOKEN.finditer(read):
        shape = match.lastgroup or ""
        if shape in {"word", "number", "sum", "percent"}:
            words.extend(_words(match, shape))
            continue
        plain = plain and shape != "quote"
        if match[0] == "." and _abbreviates(
            read, match, words, is_first=not runs and len(words) == 1
        ):
            continue
        closes = shape in {"ask", "end", "line"}
        if words:
            runs.append(AnswerRun(tuple(words), opens, closes, asks=shape == "ask"))
            words, opens = [], closes
        elif shape == "ask":
            asks = True
        opens = opens or closes
    if words:
        runs.append(AnswerRun(tuple(words), opens, closes=True))
    return AnswerText(tuple(runs), plain, asks)


def _abbreviates(
    text: str, match: re.Match[str], words: list[AnswerWord], *, is_first: bool
) -> bool:
    """Return True if a full stop marks an abbreviation, as in "no. 1042" or "Mrs. J. Smith"."""
    if not words:
        return False
    last, behind = words[-1], text[match.end() : match.end() + 3].lstrip(" #°")[:1]
    if behind.isdigit():
        return last.folded in _BEFORE_NUMBERS
    is_initial = last.end - last.start == 1 and not is_first
    short = last.folded in _TITLES or is_initial
    return short and behind.isupper() and text[last.start].isupper()


def _words(match: re.Match[str], shape: str) -> Iterator[AnswerWord]:
    """Yield the word of a match. Yield two words if the first is elided, as in "l'annulation"."""
    start, end = match.span()
    if shape == "number" and len(match[0]) < 3 and not match[0].isdigit():
        shape = "word"
    elif shape != "word":
        yield AnswerWord(fold(match[0]).strip("# "), shape, start, end)
        return
    if "." in match[0] or " " in match[0]:
        yield AnswerWord("svp" if "v" in fold(match[0]) else "stp", shape, start, end)
        return
    parts = _APOSTROPHES.split(fold(match[0]))
    while len(parts) > 1 and parts[0] in _ELIDED:
        yield AnswerWord(_ELIDED[parts.pop(0)], shape, start, end)
    yield AnswerWord("".join(parts), shape, start, end)
