"""Text from outside, made safe to store, show and put into a header: no control characters."""

import re
from typing import Final

from domain.core.effort import spend

MAX_TEXT_CHARS: Final = 100_000

_LINE_BREAKS: Final = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_SPACES: Final = re.compile("[\u00a0\u2007\u202f]")
# Beside C0, C1 and surrogates: characters that nobody sees but a model reads or that turn a
# line around (zero width space, bidi overrides, tag characters), and what XML cannot hold.
_UNSEEN: Final = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff"
    "\ufffe\uffff\ud800-\udfff\U000e0000-\U000e007f]+"
)


def without_controls(value: str) -> str:
    """`value` with every line break as one newline and no control character but newline and tab."""
    if value.isprintable():
        return value  # as most are: nothing of what follows is printable
    return _UNSEEN.sub("", _SPACES.sub(" ", _LINE_BREAKS.sub("\n", value)))


def clean_text(value: str, limit: int = MAX_TEXT_CHARS) -> str:
    """Several lines of plain text: no trailing blanks, at most one empty line in a row.

    The result has at most `limit` characters and is unchanged by a second call.
    """
    lines: list[str] = []
    # Twice the limit leaves room for blanks, without reading megabytes of them.
    value = value[: 2 * limit]
    spend(len(value))
    for raw in without_controls(value).split("\n"):
        line = raw.rstrip()
        if line or (lines and lines[-1]):
            lines.append(line)
    return "\n".join(lines).strip()[:limit].rstrip()


def clean_line(value: str, limit: int) -> str:
    """One line of at most `limit` characters: line breaks and tabs become a space.

    A subject or a name cleaned so cannot add a header line.
    """
    # Four times the limit leaves room for blanks that are folded, without reading megabytes.
    value = value[: 4 * limit]
    spend(len(value))
    return " ".join(without_controls(value).split())[:limit].rstrip()


def clean_address(value: str) -> str | None:
    """An e-mail address as given, stripped; None when empty, over 320 or with control characters.

    Its case is kept: comparing is the caller's concern.
    """
    address = value[:1_000].strip()
    if not address or len(address) > 320 or re.search(r"[\n\t]", without_controls(address)):
        return None
    return address if without_controls(address) == address else None
