"""Error reports: newest first, with limited retention."""

from datetime import UTC, datetime, timedelta

import pytest

from domain.core.error_report import ErrorReport, Frame, RaisedException
from store.core.database import Database
from store.core.error_reports import KEPT_FOR, ErrorReportRepository

pytestmark = pytest.mark.own_database  # reports belong to no client

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


def report(place: str, created_at: datetime) -> ErrorReport:
    frames = (Frame(file="a.py", line=1, function="f"),)
    return ErrorReport(
        place=place,
        code="internal_error",
        created_at=created_at,
        request_id="r1",
        exceptions=(RaisedException(type="ValueError", frames=frames),),
    )


async def test_latest_come_first_and_old_ones_go(database: Database) -> None:
    times = {
        "old": NOW - KEPT_FOR - timedelta(seconds=1),
        "first": NOW - timedelta(hours=1),
        "second": NOW,
    }
    for place, when in times.items():
        async with database.service() as connection:
            await ErrorReportRepository(connection).add(place, report(place, when))

    async with database.service() as connection:
        repository = ErrorReportRepository(connection)
        found = await repository.latest(limit=10)
        (latest,) = await repository.latest(limit=1)

    assert [stored.id for stored in found] == ["second", "first"]
    assert latest.report == report("second", NOW)
