"""The copilot tools that read daily metrics and the list of customers who are likely to leave."""

from datetime import date, timedelta
from typing import Final

from pydantic import Field

from domain.analytics.churn import ChurnLevel
from domain.analytics.insight import Figures, ReasonFigures
from domain.analytics.metrics import day_before
from domain.copilot.answer import CitedKind
from domain.copilot.tool import CopilotFacts, CopilotInput, Quoted, ToolFindings, quoted
from domain.core.errors import InvalidQuery
from domain.tenants.actor import ANYONE
from services.analytics.insight import MAX_DAYS, read_insight
from services.copilot.copilot_service import CopilotService, ReadTool
from store.analytics.churn import ChurnRepository

# Requested days must be in this range. No client has metrics outside it, and arithmetic with the
# first and last days that `date` supports would overflow.
_FIRST_DAY: Final = date(2000, 1, 1)
_LAST_DAY: Final = date(2099, 12, 31)


class DaysWanted(CopilotInput):
    days: int = Field(
        default=7,
        ge=1,
        le=92,
        description="Number of whole days to read, up to yesterday, in UTC.",
    )
    first: date | None = Field(
        default=None, ge=_FIRST_DAY, le=_LAST_DAY, description="First day. Replaces `days`."
    )
    last: date | None = Field(
        default=None, ge=_FIRST_DAY, le=_LAST_DAY, description="Last day. Defaults to yesterday."
    )


class TopicFigures(CopilotFacts):
    """The number of tickets about a topic. `topic` is null for tickets without one."""

    topic: str | None
    asked: int


class DaysFound(CopilotFacts):
    """Metrics for the requested days, as on the metrics page. Shares range from 0 to 1.

    `change` is the difference from the preceding period of the same length.
    """

    first: date
    last: date
    counted: int = Field(description="Number of days with computed metrics.")
    figures: Figures
    change: dict[str, float | None]
    by_reason: tuple[ReasonFigures, ...]
    by_topic: tuple[TopicFigures, ...] = Field(description="Topics, most tickets first.")


class ChurnAsked(CopilotInput):
    level: ChurnLevel | None = None
    limit: int = Field(default=5, ge=1, le=20)


class LeavingFacts(CopilotFacts):
    prediction_id: str
    customer: Quoted | None
    score: float
    level: ChurnLevel
    week: date
    factors: tuple[str, ...] = Field(description="Factors of the score, most important first.")


class ChurnFound(CopilotFacts):
    customers: tuple[LeavingFacts, ...] = Field(
        description="Customers at risk, highest score first."
    )


async def _days(copilot: CopilotService, wanted: DaysWanted) -> ToolFindings[DaysFound]:
    last = wanted.last or day_before(copilot.now)
    first = wanted.first or last - timedelta(days=wanted.days - 1)
    if not 0 <= (last - first).days < MAX_DAYS:
        raise InvalidQuery("first")
    async with copilot.database.reading(copilot.tenant) as connection:
        found = await read_insight(
            connection, copilot.tenant, copilot.actor, (first, last), compare=True
        )
    return ToolFindings(
        DaysFound(
            first=first,
            last=last,
            counted=found.period.counted,
            figures=found.period.figures,
            change=found.change or {},
            by_reason=found.by_reason,
            by_topic=tuple(TopicFigures(topic=one.key, asked=one.asked) for one in found.by_class),
        ),
        (
            copilot.cite(
                CitedKind.METRICS,
                f"{first}/{last}",
                f"{copilot.formats.day(first)} – {copilot.formats.day(last)}",
            ),
        ),
    )


async def _churn(copilot: CopilotService, wanted: ChurnAsked) -> ToolFindings[ChurnFound]:
    async with copilot.database.reading(copilot.tenant) as connection:
        found = await ChurnRepository(connection, copilot.tenant).latest(
            limit=wanted.limit, level=wanted.level
        )
    return ToolFindings(
        ChurnFound(
            customers=tuple(
                LeavingFacts(
                    prediction_id=one.id,
                    customer=quoted(one.customer_email, 320),
                    score=one.score,
                    level=one.level,
                    week=one.week,
                    factors=tuple(
                        factor.name
                        for factor in sorted(one.factors, key=lambda each: -each.contribution)
                        if factor.contribution > 0
                    ),
                )
                for one in found
            )
        ),
        (copilot.cite(CitedKind.CHURN, "churn", "Churn"),) if found else (),
    )


READ_METRICS: Final = ReadTool(
    "read_metrics",
    "Metrics for a range of days: tickets, topics, resolution and automation rates, latency, "
    "ratings.",
    ANYONE,
    ("GET", "/api/dashboard/metrics"),
    DaysWanted,
    _days,
)
READ_CHURN: Final = ReadTool(
    "read_churn",
    "Customers who are likely to leave, with their scores and the reasons for each score.",
    ANYONE,
    ("GET", "/api/dashboard/churn"),
    ChurnAsked,
    _churn,
)
