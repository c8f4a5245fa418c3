"""Apply a reviewer's edits of an answer to the template behind it.

The template keeps its placeholders. Otherwise, the next customer would receive this customer's
values.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from domain.agent.template import placeholders_in
from domain.core.effort import spend
from domain.learning.word_diff import Piece, PieceKind

_BRACES: Final = ("{{", "}}", "{%", "%}", "{#")


@dataclass(frozen=True, slots=True)
class _Filled:
    """The position of a placeholder's value in the draft. `source` is the placeholder as written in
    the template."""

    start: int
    end: int
    source: str


def rewritten_template(body: str, draft: str, diff: Sequence[Piece]) -> str | None:
    """Return the template's body with the reviewer's edits applied, or None if they cannot be
    applied.

    `diff` is the difference between the draft and the sent text. The draft must equal the filled
    template. Filled values must be unchanged, and added text must not look like a placeholder.
    """
    spend(len(body) + len(draft))
    filled = _values(body.strip(), draft.strip())
    if filled is None:
        return None
    lead = len(draft) - len(draft.lstrip())
    places = [_Filled(one.start + lead, one.end + lead, one.source) for one in filled]
    rewritten = "".join(_rewritten(diff, places)).strip()
    kept = all(any(_holds(span, one) for span in _kept_spans(diff)) for one in places)
    added = "".join(piece.text for piece in diff if piece.kind is PieceKind.INSERT)
    if not kept or any(braces in added for braces in _BRACES):
        return None
    return rewritten or None


def _values(body: str, draft: str) -> list[_Filled] | None:
    """Return the filled values in the draft, from left to right, or None if the draft is not the
    template's filled body."""
    found: list[_Filled] = []
    at, end = 0, 0
    waiting: tuple[str, int] | None = None
    for start, stop in (*placeholders_in(body), (len(body), len(body))):
        literal = body[end:start]
        place = draft.find(literal, at)
        if start == len(body) and literal:
            # The last literal of the template must be at the end of the draft, even if it also
            # occurs earlier.
            place = len(draft) - len(literal) if draft.endswith(literal) else -1
        elif start == len(body) and waiting is not None:
            place = len(draft)
        if place < at or (waiting is None and place != at):
            return None
        if waiting is not None:
            found.append(_Filled(waiting[1], place, waiting[0]))
        at, end = place + len(literal), stop
        waiting = (body[start:stop], at)
    return found if at == len(draft) else None


def _kept_spans(diff: Sequence[Piece]) -> Iterator[tuple[int, int]]:
    """Yield the spans of the draft that the reviewer left unchanged."""
    at = 0
    for piece in diff:
        if piece.kind is PieceKind.INSERT:
            continue
        if piece.kind is PieceKind.EQUAL:
            yield at, at + len(piece.text)
        at += len(piece.text)


def _holds(span: tuple[int, int], value: _Filled) -> bool:
    return span[0] <= value.start and value.end <= span[1]


def _rewritten(diff: Sequence[Piece], places: Sequence[_Filled]) -> Iterator[str]:
    at = 0
    for piece in diff:
        if piece.kind is PieceKind.INSERT:
            yield piece.text
            continue
        end = at + len(piece.text)
        if piece.kind is PieceKind.EQUAL:
            inside = [one for one in places if _holds((at, end), one)]
            done = at
            for one in inside:
                yield piece.text[done - at : one.start - at] + one.source
                done = one.end
            yield piece.text[done - at :]
        at = end
