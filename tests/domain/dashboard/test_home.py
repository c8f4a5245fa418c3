"""Visits to Home: when a visit ends, and the reported period."""

from datetime import UTC, datetime, timedelta

import pytest

from domain.dashboard.home import LONGEST, PAUSE, STEP, MemberVisit, next_visit

NOW = datetime(2026, 11, 28, 9, tzinfo=UTC)
BEFORE = NOW - timedelta(days=1)


def test_the_first_visit_reports_nothing() -> None:
    visit = next_visit(None, NOW)

    assert visit == MemberVisit(NOW)
    assert visit.reported_since(NOW) is None


@pytest.mark.parametrize(
    ("apart", "after"),
    [
        (timedelta(seconds=1), MemberVisit(NOW, BEFORE)),
        (STEP, MemberVisit(NOW + STEP, BEFORE)),
        (PAUSE, MemberVisit(NOW + PAUSE, BEFORE)),
        (PAUSE + STEP, MemberVisit(NOW + PAUSE + STEP, NOW)),
    ],
)
def test_only_a_pause_starts_a_new_visit(apart: timedelta, after: MemberVisit) -> None:
    assert next_visit(MemberVisit(NOW, BEFORE), NOW + apart) == after


def test_a_long_absence_is_reported_from_its_last_days() -> None:
    visit = MemberVisit(NOW, NOW - timedelta(days=400))

    assert visit.reported_since(NOW) == NOW - LONGEST
    assert MemberVisit(NOW, BEFORE).reported_since(NOW) == BEFORE
