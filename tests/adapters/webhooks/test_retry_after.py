"""Retry-After: its two formats and invalid values."""

from datetime import UTC, datetime

import pytest

from adapters.webhooks.retry_after import seconds

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
YEAR_S = 366 * 24 * 3600.0


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("0", 0.0),
        (" 120 ", 120.0),
        ("9" * 5000, YEAR_S),
        ("Sat, 21 Nov 2026 12:02:00 GMT", 120.0),
        ("Saturday, 21-Nov-26 12:02:00 GMT", 120.0),
        ("Sat Nov 21 12:02:00 2026", 120.0),
        ("Sat, 21 Nov 2026 13:02:00 +0100", 120.0),
        ("Sat, 21 Nov 2026 11:00:00 GMT", 0.0),
        ("Sat, 21 Nov 9999 11:00:00 GMT", YEAR_S),
        ("", None),
        ("soon", None),
        ("-1", None),
        ("1.5", None),
        ("١٢", None),
        ("Sat, 99 Nov 2026 12:00:00 GMT", None),
        ("Sat, 21 Nov 2026 12:00:00 +9999999999", None),
        ("Sat, 21 Nov 2026 12:00:00 +99999999999999999999", None),
        ("Sat, 21 Nov 9999999999 12:00:00 GMT", None),
        ("Sat, 21 Nov 99999999999999999999 12:00:00 GMT", None),
    ],
)
def test_seconds_from_now(header: str, expected: float | None) -> None:
    assert seconds(header, NOW) == expected
