"""The copilot tools that read daily metrics and the list of customers at risk of leaving."""

from datetime import date, timedelta
from typing import Final

from pydantic import Field

from domain.analytics.churn import ChurnLevel
from domain.analytics.metrics import DayMetrics, day_before
from domain.copilot.answer import CitedKind
from domain.copilot.tool import CopilotFacts, CopilotInput, Quoted, ToolFindings, quoted
from domain.tenants.actor import ANYONE
from services.copilot.copilot_service import CopilotService, ReadTool
from store.analytics.churn import ChurnRepository
from store.analytics.metrics import MetricsRepository


class DaysWanted(CopilotInput):
    days: int = Field(
        default=7,
        ge=1,
        le=92,
        description=("Number of whole days to read, up to yesterday, in UTC."),
    )


class DaysFound(CopilotFacts):
    """Totals for the days that were read. Shares, from 0 to 1, are computed over all days
    together."""

    first: date
    last: date
    days: tuple[DayMetrics, ...] = Field(
        description=(
            "Metrics of each day, oldest first. Days that have not been computed are missing."
        )
    )
    runs: int
    completed: int
    escalated: int
    failed: int
    messages_in: int
    sentiment_mean: float | None
    resolution_rate: float | None = Field(
        description=("Share of resolved runs among the runs that needed an answer, from 0 to 1.")
    )
    automation_rate: float | None
    latency_p95_ms: float | None = Field(
        description=("95th percentile of the latency on the worst day, in milliseconds.")
    )
    rated: int = Field(description="Number of ratings that customers gave on these days.")
    rating_mean: float | None = Field(description="Mean rating, from 1 (bad) to 5 (good).")


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
        description=("Customers at risk, highest score first.")
    )


async def _days(copilot: CopilotService, wanted: DaysWanted) -> ToolFindings[DaysFound]:
    last = day_before(copilot.now)
    first = last - timedelta(days=wanted.days - 1)
    async with copilot.database.reading(copilot.tenant) as connection:
        days = await MetricsRepository(connection, copilot.tenant).between(first, last)
    moods = sum(one.sentiment_count for one in days)
    return ToolFindings(
        DaysFound(
            first=first,
            last=last,
            days=tuple(days),
            runs=sum(one.runs for one in days),
            completed=sum(one.completed for one in days),
            escalated=sum(one.escalated for one in days),
            failed=sum(one.failed for one in days),
            messages_in=sum(one.messages_in for one in days),
            sentiment_mean=sum((one.sentiment_mean or 0) * one.sentiment_count for one in days)
            / moods
            if moods
            else None,
            resolution_rate=_mean([(one.resolution_rate, one.asked or 0) for one in days]),
            automation_rate=_mean([(one.automation_rate, one.asked or 0) for one in days]),
            latency_p95_ms=max(
                (one.latency_p95_ms for one in days if one.latency_p95_ms is not None),
                default=None,
            ),
            rated=sum(one.rated for one in days),
            rating_mean=_mean([(one.rating_mean, one.rated) for one in days]),
        ),
        (copilot.cite(CitedKind.METRICS, f"{first}/{last}", f"{first} – {last}"),),
    )


def _mean(values: list[tuple[float | None, int]]) -> float | None:
    known = [(value, weight) for value, weight in values if value is not None]
    total = sum(weight for _, weight in known)
    return sum(value * weight for value, weight in known) / total if total else None


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
    "Daily metrics: tickets, rates of resolution and escalation, latency, sentiment.",
    ANYONE,
    ("GET", "/api/dashboard/metrics"),
    DaysWanted,
    _days,
)
READ_CHURN: Final = ReadTool(
    "read_churn",
    "Customers who may leave, with their scores and what these come from.",
    ANYONE,
    ("GET", "/api/dashboard/churn"),
    ChurnAsked,
    _churn,
)
