"""The copilot tool that reads the refunds that the agent executed, with their sums by topic."""

from datetime import datetime
from typing import Final

from pydantic import AwareDatetime, Field

from domain.copilot.answer import CitedKind
from domain.copilot.tool import CopilotFacts, CopilotInput, Quoted, ToolFindings, quoted
from domain.core.money import Money
from domain.tenants.actor import ANYONE
from services.copilot.copilot_service import CopilotService, ReadTool
from store.runs.refunds import RefundRepository


class RefundsWanted(CopilotInput):
    since: AwareDatetime = Field(description="Start of the period.")
    until: AwareDatetime = Field(description="End of the period, exclusive.")
    limit: int = Field(default=5, ge=1, le=20)


class TopicTotal(CopilotFacts):
    topic: str = Field(description="Category of the customers' messages; empty if there is none.")
    refunds: int
    total: Money


class RefundFacts(CopilotFacts):
    run_id: str
    amount: Money
    at: datetime
    order: Quoted | None
    customer: Quoted | None


class RefundsFound(CopilotFacts):
    topics: tuple[TopicTotal, ...] = Field(description="Sums by topic and currency, largest first.")
    is_partial: bool = Field(
        description=(
            "True if only the latest refunds are included in the sums, because there may be more."
        )
    )
    latest: tuple[RefundFacts, ...] = Field(description="Latest refunds, newest first.")


async def _read(copilot: CopilotService, wanted: RefundsWanted) -> ToolFindings[RefundsFound]:
    async with copilot.database.reading(copilot.tenant) as connection:
        refunds = RefundRepository(connection, copilot.tenant)
        totals = await refunds.totals(wanted.since, wanted.until)
        latest = await refunds.latest(wanted.since, wanted.until, limit=wanted.limit)
    return ToolFindings(
        RefundsFound(
            topics=tuple(
                TopicTotal(topic=one.topic, refunds=one.refunds, total=one.total)
                for one in totals.topics
            ),
            is_partial=totals.is_partial,
            latest=tuple(
                RefundFacts(
                    run_id=one.run_id,
                    amount=one.amount,
                    at=one.at,
                    order=quoted(one.order_number, 50),
                    customer=quoted(one.customer_email, 320),
                )
                for one in latest
            ),
        ),
        (
            copilot.cite(CitedKind.RUNS, "runs", ""),
            *(
                copilot.cite(
                    CitedKind.RUN, one.run_id, one.customer_email or one.order_number or one.run_id
                )
                for one in latest
            ),
        ),
    )


READ_REFUNDS: Final = ReadTool(
    "read_refunds",
    "Refunds that the agent executed in a period: totals by topic, and the latest refunds.",
    ANYONE,
    ("GET", "/api/dashboard/runs"),
    RefundsWanted,
    _read,
)
