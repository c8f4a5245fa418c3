"""The time format used in JSON, CSV and texts for operators."""

from datetime import UTC, datetime


def rfc3339(moment: datetime, timespec: str = "milliseconds") -> str:
    """Return an aware time as RFC 3339 text in UTC, such as 2026-11-24T19:00:12.345Z. `timespec` is
    the precision, as for `datetime.isoformat`."""
    return moment.astimezone(UTC).isoformat(timespec=timespec).replace("+00:00", "Z")
