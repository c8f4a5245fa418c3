"""The format of times in JSON, in CSV and in texts for operators."""

from datetime import UTC, datetime


def rfc3339(moment: datetime, timespec: str = "auto") -> str:
    """Return the time in UTC with `Z`: 2026-11-24T19:00:12.345678Z. `timespec`: as for
    isoformat."""
    return moment.astimezone(UTC).isoformat(timespec=timespec).replace("+00:00", "Z")
