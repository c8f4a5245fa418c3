"""A person's correction of an answer, carried over to the knowledge entry that it quoted."""

import re
from typing import Final

_GAP: Final = re.compile(r"\n[ \t]*\n\s*")


def rewritten_entry(body: str, draft: str, sent: str) -> str | None:
    """What a person wrote in the entry's place: their words without those that stand around the
    entry in the draft.

    None where the draft does not quote the entry whole, and where the person changed the words
    before it, so that nothing says where the entry begins.
    """
    before, quoted, after = draft.partition(body.strip())
    if not quoted:
        return None
    opening = before.strip()
    words = sent.strip()
    if not words.startswith(opening):
        return None
    closing = set(_paragraphs(after))
    kept = _paragraphs(words.removeprefix(opening))
    # Of the closing, a person may leave out a part.
    while kept and kept[-1] in closing:
        kept.pop()
    return "\n\n".join(kept) or None


def _paragraphs(text: str) -> list[str]:
    return [one for one in _GAP.split(text.strip()) if one]
