"""/app: the overview page, with open work, problems, and the agent's performance."""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Final

from fastapi import APIRouter
from starlette.responses import Response

from api.dashboard.charts import BarChart, ChartColumn, bar_chart
from api.dashboard.next_page import HOME
from api.dashboard.page import AnyonesPage, Page
from domain.analytics.insight import before, change, period
from domain.analytics.metrics import DayInsight, day_before, days_of
from domain.billing.quota import UNLIMITED
from domain.core.period import period_of
from store.analytics.metrics import MetricsRepository
from store.billing.usage import UsageRepository
from store.dashboard.overview import read_overview
from store.reviews.reviews import ReviewFilter, list_reviews
from store.runs.traces import RunTraces

_DAYS: Final = 30
_RUNS: Final = 10
_FIRST: Final = 3
"""The number of open reviews that the page names."""

router = APIRouter(include_in_schema=False)


@router.get(HOME)
async def overview(page: AnyonesPage) -> Response:
    last = day_before(page.now)
    span = (last - timedelta(days=_DAYS - 1), last)
    earlier = before(*span)
    async with page.resources.database.reading(page.tenant) as connection:
        found = await read_overview(connection, page.tenant)
        # The current and previous ranges are adjacent, so one query reads both.
        days = await MetricsRepository(connection, page.tenant).insight(earlier[0], last)
        usage = await UsageRepository(connection, page.tenant).in_month(period_of(page.now))
        runs = await RunTraces(connection, page.tenant).page(limit=_RUNS)
        first = await list_reviews(connection, page.tenant, ReviewFilter(), limit=_FIRST)
    now = period(*span, [day for day in days if day.day >= span[0]])
    then = period(*earlier, [day for day in days if day.day < span[0]])
    standing = usage.standing(page.now)
    return page.render(
        "dashboard/overview.html",
        found=found,
        first=first,
        figures=now.figures,
        change=change(now.figures, then.figures),
        standing=standing,
        is_unlimited=standing.tickets_limit == UNLIMITED,
        chart=_chart(page, span, days),
        runs=runs,
    )


@router.get("/app/needs-you")
async def needs_you(page: AnyonesPage) -> Response:
    """Return the menu's count of open reviews, which the menu of an open page polls."""
    return page.render("dashboard/needs_you.html")


def _chart(page: Page, span: tuple[date, date], days: Sequence[DayInsight]) -> BarChart:
    """Return a chart of tickets by day, split into tickets that the agent resolved without human
    agents and all others."""
    by_day = {day.day: day for day in days}
    columns = []
    for day in days_of(*span):
        counted = by_day.get(day)
        if counted is None or counted.asked is None or counted.resolved_alone is None:
            columns.append(ChartColumn(page.formats.day(day), (None, None)))
        else:
            alone = counted.resolved_alone
            columns.append(ChartColumn(page.formats.day(day), (alone, counted.asked - alone)))
    return bar_chart(
        page.say("dashboard.chart.finding"),
        columns,
        series=(page.say("dashboard.chart.alone"), page.say("dashboard.chart.others")),
        first=page.say("dashboard.chart.day"),
        shown=page.formats.number,
    )
