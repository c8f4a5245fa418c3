"""The sentences of a message: words and set phrases in their roles, and the marks among them."""

import re
from dataclasses import dataclass
from itertools import islice
from typing import Final

from domain.agent.consent.answer_text import TOKEN, AnswerWord, words_of
from domain.agent.consent.request_words import (
    NUMBER,
    UNKNOWN,
    RequestWords,
    WordRole,
    request_words,
)
from domain.agent.extent import READ_CHARS
from domain.agent.plan import ActionKind
from domain.core.effort import spend

_UNKNOWN: Final = WordRole(UNKNOWN)
QUOTED: Final = "quoted"
ASKS: Final = "?"
_READ_TOKENS: Final = 2_500
_LONG_FIGURES: Final = 3
_AHEAD: Final = 40
_BEFORE_NUMBERS: Final = frozenset({"no", "nr", "n", "num", "ref", "cde", "cmd", "order", "ord"})
_QUOTES: Final = re.compile(
    r"^[ \t]{0,3}>[^\n]*$|«[^»]*(?:»|\Z)|“[^”“]*(?:”|\Z)|„[^”“]*(?:[”“]|\Z)"
    r"|(?<!\d)\"[^\"]*(?:\"|\Z)|(?<![\w'’])['‘](?=\w)[^'‘’\n]{1,300}"
    r"(?:(?<=\w)['’](?=\w)[^'‘’\n]{1,300}){0,20}['’](?!\w)",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Part:
    """A word, phrase or mark. `role`: of a mark the mark itself. `kind`: the action it names.
    `start` and `end`: its place in the text."""

    said: str
    role: str
    kind: ActionKind | None
    start: int
    end: int


Sentence = tuple[Part, ...]


def sentences(text: str) -> list[Sentence]:
    """Return the sentences of a text's first `READ_CHARS` characters. Never raises; linear.

    What is quoted counts as one mark.
    """
    read = text[:READ_CHARS]
    spend(len(read))
    quoted = [match.span() for match in _QUOTES.finditer(read)]
    found: list[Sentence] = []
    words: list[AnswerWord] = []
    for match in islice(TOKEN.finditer(read), _READ_TOKENS):
        while quoted and quoted[0][1] <= match.start():
            quoted.pop(0)
        shape = match.lastgroup or ""
        if quoted and quoted[0][0] <= match.start():
            if not words or words[-1].shape != QUOTED:
                words.append(AnswerWord('"', QUOTED, *match.span()))
        elif shape in {"word", "number", "sum", "percent"}:
            words.extend(words_of(match, shape))
        elif match[0] == "." and words and words[-1].folded in _BEFORE_NUMBERS:
            continue
        else:
            mark = ASKS if shape == "ask" else match[0][0]
            goes_on = shape == "line" and _goes_on(read, match.end())
            words.append(AnswerWord("," if goes_on else mark, "mark", *match.span()))
            if shape in {"ask", "end", "line"} and not goes_on:
                found.append(_read(words))
                words = []
    return [*found, _read(words)] if words else found


def _goes_on(text: str, end: int) -> bool:
    """Whether the next line begins in lower case."""
    return text[end : end + _AHEAD].lstrip(" \t>*•-")[:1].islower()


def _read(words: list[AnswerWord]) -> Sentence:
    """The words in their roles, in the language that knows more of them."""
    french, english = (_parts(words, request_words(language)) for language in ("fr", "en"))
    return max(french, english, key=_known)


def _known(parts: Sentence) -> int:
    return sum(part.said.count(" ") + 1 for part in parts if part.role != UNKNOWN)


def _parts(words: list[AnswerWord], known: RequestWords) -> Sentence:
    found: list[Part] = []
    at = 0
    while at < len(words):
        length, part = _part(words, at, known)
        found.append(part)
        at += length
    return tuple(found)


def _part(words: list[AnswerWord], at: int, known: RequestWords) -> tuple[int, Part]:
    word = words[at]
    if word.shape != "word":
        return 1, _unworded(word)
    if at + 1 < len(words):
        for length in known.starts.get((word.folded, words[at + 1].folded), ()):
            said = " ".join(one.folded for one in words[at : at + length])
            if role := known.phrases.get(said):
                end = words[min(at + length, len(words)) - 1].end
                return length, Part(said, role.role, role.kind, word.start, end)
    found = known.phrases.get(word.folded) or known.near.get(word.folded) or _UNKNOWN
    return 1, Part(word.folded, found.role, found.kind, word.start, word.end)


def _unworded(word: AnswerWord) -> Part:
    role = word.folded if word.shape == "mark" else word.shape
    if word.shape == NUMBER and sum(map(str.isdigit, word.folded)) < _LONG_FIGURES:
        role = "count"
    said = "#" if word.shape in {NUMBER, "sum", "percent"} else word.folded
    # "Give me my 49 euros": no word of it names the action.
    kind = ActionKind.REFUND if word.shape == "sum" else None
    return Part(said, role, kind, word.start, word.end)
