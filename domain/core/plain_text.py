"""Clean external text so that it is safe to store, show and put into a header."""

import re
from typing import Final

from domain.core.effort import spend

MAX_TEXT_CHARS: Final = 100_000

_LINE_BREAKS: Final = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_SPACES: Final = re.compile("[\u00a0\u2007\u202f]")
# C0, C1, surrogates, and characters that XML cannot contain. Also invisible characters that a model
# reads or that reverse a line (zero width space, bidi overrides, tag characters).
_UNSEEN: Final = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff"
    "\ufffe\uffff\ud800-\udfff\U000e0000-\U000e007f]+"
)


def without_controls(value: str) -> str:
    """Return `value` with newlines as its only line breaks, and no other control characters but
    tabs."""
    if value.isprintable():
        return value  # common case: none of the characters below is printable
    return _UNSEEN.sub("", _SPACES.sub(" ", _LINE_BREAKS.sub("\n", value)))


def clean_text(value: str, limit: int = MAX_TEXT_CHARS) -> str:
    """Return plain text of several lines, without trailing blanks and consecutive empty lines.

    The result has at most `limit` characters and is unchanged by a second call.
    """
    lines: list[str] = []
    # Twice the limit allows for removed blanks, without reading megabytes of them.
    value = value[: 2 * limit]
    spend(len(value))
    for raw in without_controls(value).split("\n"):
        line = raw.rstrip()
        if line or (lines and lines[-1]):
            lines.append(line)
    return "\n".join(lines).strip()[:limit].rstrip()


def clean_line(value: str, limit: int) -> str:
    """Return one line of at most `limit` characters, with line breaks and tabs replaced by spaces.

    A subject or name that is cleaned this way cannot add a header line.
    """
    # Four times the limit allows for collapsed blanks, without reading megabytes of them.
    value = value[: 4 * limit]
    spend(len(value))
    return " ".join(without_controls(value).split())[:limit].rstrip()


def clean_address(value: str) -> str | None:
    """Return a stripped email address; None if it is empty, over 320 characters or has control
    characters.

    The case is kept: the caller decides how to compare addresses.
    """
    address = value[:1_000].strip()
    if not address or len(address) > 320 or re.search(r"[\n\t]", without_controls(address)):
        return None
    return address if without_controls(address) == address else None
