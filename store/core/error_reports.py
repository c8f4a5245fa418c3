"""Server-side errors, stored in the database for operators who do not use an error tracker."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.error_report import ErrorReport, RaisedException
from domain.core.errors import InvalidInput
from store.core.database import Database
from store.core.tables import error_reports

KEPT_FOR: Final = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class StoredReport:
    id: str
    report: ErrorReport


class ErrorReportRepository:
    """The stored error reports. Requires a transaction that spans clients."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def add(self, report_id: str, report: ErrorReport) -> None:
        """Store an error report unless it is already stored. Also delete the reports that are more
        than `KEPT_FOR` older than the new one."""
        await self._connection.execute(
            insert(error_reports)
            .values(
                id=report_id,
                request_id=report.request_id,
                client_id=report.client_id,
                event_id=report.event_id,
                place=report.place,
                code=report.code,
                exception=[one.model_dump() for one in report.exceptions],
                created_at=report.created_at,
                occurrences=report.occurrences,
            )
            .on_conflict_do_nothing()
        )
        await self._connection.execute(
            sa.delete(error_reports).where(
                error_reports.c.created_at < report.created_at - KEPT_FOR
            )
        )

    async def latest(self, *, limit: int) -> Sequence[StoredReport]:
        """Return the latest error reports, newest first."""
        found = await self._connection.execute(
            sa.select(error_reports)
            .order_by(error_reports.c.created_at.desc(), error_reports.c.id.desc())
            .limit(limit)
        )
        return [_stored(row) for row in found]

    async def read(self, report_id: str) -> StoredReport:
        """Return an error report. Raises InvalidInput if the report does not exist or was
        deleted."""
        found = await self._connection.execute(
            sa.select(error_reports).where(error_reports.c.id == report_id)
        )
        row = found.one_or_none()
        if row is None:
            raise InvalidInput(f"there is no such error; they are kept for {KEPT_FOR.days} days")
        return _stored(row)


def _stored(row: "sa.Row[*tuple[Any, ...]]") -> StoredReport:
    return StoredReport(
        row.id,
        ErrorReport(
            request_id=row.request_id,
            client_id=row.client_id,
            event_id=row.event_id,
            place=row.place,
            code=row.code,
            exceptions=tuple(RaisedException.model_validate(one) for one in row.exception),
            created_at=row.created_at,
            occurrences=row.occurrences,
        ),
    )


def keep_in(database: Database) -> Callable[[str, ErrorReport], Awaitable[None]]:
    """Return a function that stores an error report in its own transaction, once per report id. The
    function raises EngineUnavailable."""

    async def keep(report_id: str, report: ErrorReport) -> None:
        async with database.service() as connection:
            await ErrorReportRepository(connection).add(report_id, report)

    return keep
