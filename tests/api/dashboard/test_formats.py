"""How pages format durations."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from api.dashboard.formats import Formats

NOW = datetime(2026, 11, 28, 12, tzinfo=UTC)
ENGLISH = Formats("en", ZoneInfo("UTC"), NOW)
FRENCH = Formats("fr", ZoneInfo("UTC"), NOW)


@pytest.mark.parametrize(
    ("length", "said"),
    [
        (timedelta(milliseconds=999.6), "1.0 s"),
        (timedelta(seconds=9.4), "9.4 s"),
        (timedelta(seconds=59.4), "59 s"),
        (timedelta(seconds=59.7), "1 min"),
        (timedelta(seconds=89), "1 min"),
        (timedelta(seconds=90), "2 min"),
        (timedelta(minutes=59, seconds=20), "59 min"),
        (timedelta(minutes=59, seconds=40), "1 h"),
        (timedelta(hours=23, minutes=59, seconds=58), "1 d"),
        (timedelta(hours=47, minutes=20), "2 d"),
        (timedelta(hours=71, minutes=59, seconds=58), "3 d"),
        (timedelta(hours=72), "3 d"),
        (timedelta(hours=72, minutes=1), "3 d"),
        (timedelta(days=29, hours=23), "30 d"),
    ],
)
def test_a_duration_is_rounded_and_not_cut(length: timedelta, said: str) -> None:
    """When a 72-hour review is first displayed, 71 h 59 min are left: it shows 3 days, not 2."""
    assert ENGLISH.span(length) == said
    assert ENGLISH.ago(NOW + length) in (f"in {said}", "just now")
    assert FRENCH.span(length) == said.replace(" d", " j").replace(".", ",")


def test_a_measured_duration_is_more_exact_than_a_time_from_now() -> None:
    length = timedelta(minutes=86)
    assert ENGLISH.span(length) == "1 h 26 min"
    assert ENGLISH.ago(NOW - length) == "1 h ago"
    assert FRENCH.ago(NOW - timedelta(hours=38)) == "il y a 2 j"
    assert FRENCH.since(NOW - timedelta(hours=38)) == "2 j"


@pytest.mark.parametrize(
    ("length", "said"),
    [
        (timedelta(seconds=20), "20 s"),
        (timedelta(minutes=119), "1 h 59 min"),
        (timedelta(hours=30), "30 h"),
        (timedelta(hours=47, minutes=59, seconds=58), "48 h"),
        (timedelta(hours=1_200), "1,200 h"),
    ],
)
def test_business_time_is_never_in_days(length: timedelta, said: str) -> None:
    assert ENGLISH.business(length) == said
    assert FRENCH.business(length) == said.replace(",", "\u202f")
    assert ENGLISH.wait(timedelta()) == "1 min"


def test_a_time_has_its_language_s_form() -> None:
    moment = datetime(2026, 11, 12, 14, 5, tzinfo=UTC)
    assert FRENCH.when(moment) == "12 nov. 2026 à 14:05"
    assert ENGLISH.when(moment) == "12 Nov 2026, 14:05"
    assert FRENCH.when(datetime(2026, 12, 1, tzinfo=UTC)) == "1er déc. 2026 à 00:00"
