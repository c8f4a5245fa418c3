"""Transfer a reviewer's edits to an answer into the knowledge entry behind the answer."""

from collections.abc import Iterator, Sequence
from typing import Final

from domain.core.effort import spend
from domain.learning.word_diff import Piece, PieceKind

# Lengths, in characters, of the context that locates an edit in the body. Longer contexts are tried
# first because they are less ambiguous.
_AROUND: Final = (40, 20, 8)


def rewritten_entry(body: str, diff: Sequence[Piece]) -> str | None:
    """Return the entry's body with the reviewer's edits applied, or None if they cannot be applied.

    `diff` is the difference between the draft and the sent text. Each edit must match exactly one
    position in the body.
    """
    rewritten = body
    for before, old, new, after in _changes(diff):
        for around in _AROUND:
            start, end = before[-around:], after[:around]
            spend(len(rewritten))
            places = rewritten.count(f"{start}{old}{end}")
            if places == 1:
                rewritten = rewritten.replace(f"{start}{old}{end}", f"{start}{new}{end}")
                break
            if places:
                return None
        else:
            return None
    return rewritten.strip() or None


def _changes(diff: Sequence[Piece]) -> Iterator[tuple[str, str, str, str]]:
    """Yield each edit as four texts: the text before the edit, the deleted text, the inserted text
    and the text after the edit."""
    before, old, new = "", "", ""
    for piece in diff:
        if piece.kind is PieceKind.DELETE:
            old += piece.text
        elif piece.kind is PieceKind.INSERT:
            new += piece.text
        else:
            if old or new:
                yield before, old, new, piece.text
            before, old, new = piece.text, "", ""
    if old or new:
        yield before, old, new, ""
