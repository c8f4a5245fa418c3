"""Clean external text so that it is safe to store, to display and to use in a header."""

import re
from typing import Final

from domain.core.effort import spend

MAX_TEXT_CHARS: Final = 100_000
MAX_ADDRESS: Final = 320
"""Maximum length of an email address, in characters."""


_LINE_BREAKS: Final = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_SPACES: Final = re.compile("[\u00a0\u2007\u202f]")
# C0 and C1 control characters, surrogates, characters that XML cannot contain, and invisible
# characters. The invisible characters are those that a model would read or that reverse a line
# (zero width space, bidi overrides, tag characters).
_UNSEEN: Final = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff"
    "\ufffe\uffff\ud800-\udfff\U000e0000-\U000e007f]+"
)


def without_controls(value: str) -> str:
    """Return the text with newlines as its only line breaks, and plain spaces in place of special
    ones. All other control and invisible characters except tabs are removed."""
    if value.isprintable():
        return value  # Fast path: a printable string contains none of the characters above.
    return _UNSEEN.sub("", _SPACES.sub(" ", _LINE_BREAKS.sub("\n", value)))


def clean_text(value: str, limit: int = MAX_TEXT_CHARS) -> str:
    """Return multi-line text without trailing blanks and repeated empty lines, of at most `limit`
    characters. The function is idempotent."""
    lines: list[str] = []
    # Read at most twice the limit because blanks are removed. Untrusted text may contain megabytes
    # of them.
    value = value[: 2 * limit]
    spend(len(value))
    for raw in without_controls(value).split("\n"):
        line = raw.rstrip()
        if line or (lines and lines[-1]):
            lines.append(line)
    return "\n".join(lines).strip()[:limit].rstrip()


def clean_line(value: str, limit: int) -> str:
    """Return the text as one line of at most `limit` characters, with line breaks and runs of
    blanks replaced by one space.

    A subject or name that is cleaned this way cannot add a header line.
    """
    # Read at most four times the limit because blanks are collapsed. Untrusted text may contain
    # megabytes of them.
    value = value[: 4 * limit]
    spend(len(value))
    return " ".join(without_controls(value).split())[:limit].rstrip()


def shortened(text: str, most: int) -> str:
    """Return a text of at most `most` characters. A longer text is cut after a whole word, and ends
    with an ellipsis. Only a single word that is too long is cut inside."""
    if len(text) <= most:
        return text
    kept, following = text[: most - 1], text[most - 1]
    if kept.strip() and not (following.isspace() or kept[-1:].isspace()):
        first, *cut = kept.rsplit(None, 1)
        kept = first if cut else kept
    return f"{kept.rstrip().rstrip(',;:–-(')}…"


def clean_address(value: str) -> str | None:
    """Return the email address without surrounding blanks, or None.

    Return None if it is empty, longer than `MAX_ADDRESS`, or contains control characters. Case is
    kept.
    """
    address = value[:1_000].strip()
    if not address or len(address) > MAX_ADDRESS or re.search(r"[\n\t]", without_controls(address)):
        return None
    return address if without_controls(address) == address else None
