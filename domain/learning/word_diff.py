"""The difference between two texts by words, as equal, deleted and inserted pieces."""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from enum import StrEnum
from typing import Final

from pydantic import BaseModel, ConfigDict

from domain.core.comparable import DiffBudget, comparison
from domain.core.effort import spend

# The units of comparison, from fine to coarse: words with punctuation and whitespace, lines, and
# the whole text.
_UNITS: Final = (re.compile(r"\w+|[^\w\s]|\s+"), re.compile(r"[^\n]*\n+|[^\n]+"))


class PieceKind(StrEnum):
    EQUAL = "equal"
    INSERT = "insert"
    DELETE = "delete"


class Piece(BaseModel):
    """A piece of a diff: in both texts (`equal`), only in the first (`delete`), or only in the
    second (`insert`)."""

    model_config = ConfigDict(frozen=True)

    kind: PieceKind
    text: str


def word_diff(before: str, after: str, budget: DiffBudget | None = None) -> tuple[Piece, ...]:
    """Return the pieces of the diff from `before` to `after`, in order and alternating in kind.

    Long texts are compared by lines, or as a whole. `budget` is the page's budget. Once it is used
    up, texts are compared as a whole.
    """
    spend(len(before) + len(after))
    budget = DiffBudget() if budget is None else budget
    for pattern in _UNITS:
        old, new = pattern.findall(before), pattern.findall(after)
        head, tail = _common_ends(old, new)
        old_middle, new_middle = old[head : len(old) - tail], new[head : len(new) - tail]
        # All white space is considered equal. It may join matching words, but white space alone is
        # not a match.
        found = comparison(old_middle, new_middle, is_blank=str.isspace, budget=budget)
        if found is None:
            continue
        middle = _compared(old_middle, new_middle, found)
        ends = _piece(PieceKind.EQUAL, old[:head]), _piece(PieceKind.EQUAL, old[len(old) - tail :])
        return tuple(_joined([ends[0], *middle, ends[1]]))
    return tuple(_joined([(PieceKind.DELETE, before), (PieceKind.INSERT, after)]))


def _common_ends(old: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    """Return the lengths, in units, of the common prefix of two texts and of their common suffix.
    The suffix does not overlap the prefix."""
    shorter = min(len(old), len(new))
    head = next((n for n in range(shorter) if old[n] != new[n]), shorter)
    rest = shorter - head
    tail = next((n for n in range(rest) if old[-1 - n] != new[-1 - n]), rest)
    return head, tail


def _compared(
    old: Sequence[str], new: Sequence[str], matcher: SequenceMatcher[str]
) -> Iterator[tuple[PieceKind, str]]:
    for tag, old_from, old_to, new_from, new_to in matcher.get_opcodes():
        if tag == "equal":
            yield _piece(PieceKind.EQUAL, old[old_from:old_to])
            continue
        yield _piece(PieceKind.DELETE, old[old_from:old_to])
        yield _piece(PieceKind.INSERT, new[new_from:new_to])


def _piece(kind: PieceKind, units: Sequence[str]) -> tuple[PieceKind, str]:
    return kind, "".join(units)


def _joined(pieces: Sequence[tuple[PieceKind, str]]) -> Iterator[Piece]:
    """Yield the pieces with empty pieces omitted, and neighbours of the same kind merged."""
    kind, text = PieceKind.EQUAL, ""
    for next_kind, next_text in pieces:
        if not next_text:
            continue
        if next_kind is kind:
            text += next_text
            continue
        if text:
            yield Piece(kind=kind, text=text)
        kind, text = next_kind, next_text
    if text:
        yield Piece(kind=kind, text=text)
