"""The copilot tool that lists failed runs with the reasons for their failure."""

from datetime import date, datetime
from typing import Final

from pydantic import Field

from domain.copilot.answer import CitedKind
from domain.copilot.tool import CopilotFacts, CopilotInput, Quoted, ToolFindings, quoted
from domain.runs.run import RunStatus
from domain.tenants.actor import ANYONE
from services.copilot.copilot_service import CopilotService, ReadTool
from store.runs.run_lists import RunFilter, RunLists


class FailedRunsWanted(CopilotInput):
    first: date | None = Field(default=None, description="First day, in UTC.")
    last: date | None = Field(default=None, description="Last day, in UTC.")
    limit: int = Field(default=10, ge=1, le=20)


class FailedRunFacts(CopilotFacts):
    run_id: str
    error_code: str | None = Field(description="Reason for the failure; null if it is unknown.")
    received_at: datetime
    customer: Quoted | None
    subject: Quoted | None


class FailedRunsFound(CopilotFacts):
    count: int
    is_partial: bool = Field(description="True if there may be more failed runs than `count`.")
    latest: tuple[FailedRunFacts, ...] = Field(description="Latest failed runs, newest first.")


async def _read(copilot: CopilotService, wanted: FailedRunsWanted) -> ToolFindings[FailedRunsFound]:
    chosen = RunFilter(status=RunStatus.FAILED, first=wanted.first, last=wanted.last)
    async with copilot.database.reading(copilot.tenant) as connection:
        lists = RunLists(connection, copilot.tenant)
        count = await lists.count(chosen)
        latest, _ = await lists.page(chosen, limit=wanted.limit)
    return ToolFindings(
        FailedRunsFound(
            count=count.count,
            is_partial=count.is_partial,
            latest=tuple(
                FailedRunFacts(
                    run_id=one.run_id,
                    error_code=one.error_code,
                    received_at=one.received_at,
                    customer=quoted(one.customer_email, 320),
                    subject=quoted(one.subject or one.preview, 200),
                )
                for one in latest
            ),
        ),
        (
            copilot.cite(CitedKind.FAILED_RUNS, "failed", ""),
            *(
                copilot.cite(CitedKind.RUN, one.run_id, one.customer_email or one.run_id)
                for one in latest
            ),
        ),
    )


READ_FAILED_RUNS: Final = ReadTool(
    "read_failed_runs",
    "The runs that failed in a period, with the reasons, newest first.",
    ANYONE,
    ("GET", "/api/dashboard/runs"),
    FailedRunsWanted,
    _read,
)
