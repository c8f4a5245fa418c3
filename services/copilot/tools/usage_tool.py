"""The copilot tool that reads a client's usage of its plan, and the forecast for the rest of the
month."""

from datetime import date
from typing import Final

from pydantic import Field

from domain.billing.quota import UNLIMITED
from domain.copilot.answer import CitedKind
from domain.copilot.tool import CopilotFacts, CopilotInput, ToolFindings
from domain.tenants.actor import ANYONE
from domain.tenants.client import Plan
from services.billing.standing import usage_standing
from services.copilot.copilot_service import CopilotService, ReadTool

_MONTHS: Final = 6


class UsageAsked(CopilotInput):
    """This tool takes no arguments."""


class MonthFacts(CopilotFacts):
    period: str
    tickets_used: int


class UsageFacts(CopilotFacts):
    plan: Plan
    period: str
    tickets_used: int
    tickets_limit: int | None = Field(description="Ticket quota for the month; null if unlimited.")
    credits_balance: int
    tickets_per_day: float | None = Field(
        description="Mean number of tickets per day over the last seven whole days."
    )
    quota_ends_on: date | None = Field(
        description=(
            "Day on which the quota will be used up at this rate; null if it lasts until the "
            "end of the month."
        )
    )
    credits_end_on: date | None
    earlier: tuple[MonthFacts, ...] = Field(description="Earlier months, newest first.")


async def _read(copilot: CopilotService, _: UsageAsked) -> ToolFindings[UsageFacts]:
    async with copilot.database.reading(copilot.tenant) as connection:
        found = await usage_standing(connection, copilot.tenant, copilot.now)
    standing, coming = found.usage.standing(copilot.now), found.forecast
    limited = standing.tickets_limit != UNLIMITED
    return ToolFindings(
        UsageFacts(
            plan=found.usage.subscription.plan_at(copilot.now),
            period=standing.period,
            tickets_used=standing.tickets_used,
            tickets_limit=standing.tickets_limit if limited else None,
            credits_balance=standing.credits_balance,
            tickets_per_day=coming.tickets_per_day if coming else None,
            quota_ends_on=coming.quota_ends_on if coming else None,
            credits_end_on=coming.credits_end_on if coming else None,
            earlier=tuple(
                MonthFacts(period=one.period, tickets_used=one.tickets_used)
                for one in found.history[:_MONTHS]
            ),
        ),
        (copilot.cite(CitedKind.USAGE, standing.period, standing.period),),
    )


READ_USAGE: Final = ReadTool(
    "read_usage",
    "The plan, this month's tickets and credits, the forecast, and the usage in earlier months.",
    ANYONE,
    ("GET", "/api/dashboard/usage"),
    UsageAsked,
    _read,
)
