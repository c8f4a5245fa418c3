"""Parse the Retry-After header."""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

_LONGEST_S: Final = 366 * 24 * 3600.0


def seconds(header: str, now: datetime) -> float | None:
    """Return the delay in a Retry-After header, in seconds from `now`: 0 for a past time, and at
    most `_LONGEST_S`. Return None unless the header is a number or a date."""
    text = header.strip()
    if text.isascii() and text.isdigit():
        return min(float(text), _LONGEST_S)
    try:
        at = parsedate_to_datetime(text)
    except (ValueError, OverflowError):  # A year or offset with twenty digits raises OverflowError.
        return None
    # An HTTP date is in UTC, even if it specifies no time zone.
    at = at.replace(tzinfo=UTC) if at.tzinfo is None else at
    return min(max((at - now).total_seconds(), 0.0), _LONGEST_S)
