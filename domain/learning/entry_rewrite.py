"""A person's correction of an answer, carried over to the knowledge entry that it rests on."""

from collections.abc import Iterator, Sequence
from typing import Final

from domain.core.effort import spend
from domain.learning.word_diff import Piece, PieceKind

# So many characters before and after a change tell where it belongs, the more the surer.
_AROUND: Final = (40, 20, 8)


def rewritten_entry(body: str, diff: Sequence[Piece]) -> str | None:
    """The entry's body with the changes that a person made to the draft. `diff`: from the draft to
    what was sent.

    None where a change has not one place in the body alone, as that of a greeting has none.
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
    """What stayed before a change, the old words, the new ones, and what stayed after it."""
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
