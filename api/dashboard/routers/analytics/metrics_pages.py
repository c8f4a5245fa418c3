"""/app/metrics: metrics for a range of days, by day, channel, topic and playbook. Each number links
to its tickets."""

from collections.abc import Callable, Sequence
from datetime import date
from typing import Final, Literal

from fastapi import APIRouter
from starlette.responses import Response

from api.dashboard.charts import BarChart, ChartColumn, bar_chart
from api.dashboard.page import AnyonesPage, Page
from api.dashboard.ticket_links import TicketLinks
from api.http.disposition import content_disposition
from api.schemas.analytics.insight_query import InsightQuery
from api.schemas.analytics.report import ChurnQuery
from api.schemas.core.client_query import cursor_after
from domain.analytics.churn import ChurnLevel
from domain.analytics.insight import Figures, before
from domain.analytics.insight_csv import csv_name, insight_csv
from domain.analytics.metrics import DayMetrics, days_of
from domain.analytics.saved_time import MINUTES_PER_TICKET
from domain.runs.ticket_outcome import TicketOutcome
from domain.tenants.actor import REVIEWERS
from services.analytics.insight import read_insight
from store.analytics.churn import ChurnRepository
from store.analytics.metrics import MetricsRepository

_METRICS: Final = "/app/metrics"


class _MetricsPageQuery(InsightQuery):
    """Query parameters of the page. `by`: the breakdown to show."""

    by: Literal["channel", "topic", "playbook"] = "channel"


router = APIRouter(include_in_schema=False)


@router.get(_METRICS)
async def metrics(page: AnyonesPage) -> Response:
    query = page.query(_MetricsPageQuery)
    span = query.days(page.now)
    async with page.resources.database.reading(page.tenant) as connection:
        insight = await read_insight(connection, page.tenant, page.actor, span, compare=True)
        days = await MetricsRepository(connection, page.tenant).between(*span)
    return page.render(
        "analytics/metrics.html",
        insight=insight,
        first=span[0].isoformat(),
        last=span[1].isoformat(),
        by=query.by,
        charts=_charts(page, span, days, insight.period.figures),
        tickets=TicketLinks(*span),
        earlier=TicketLinks(*before(*span)),
        minutes_per_ticket=MINUTES_PER_TICKET,
        may_send=page.may(REVIEWERS),
    )


@router.get(f"{_METRICS}.csv")
async def metrics_file(page: AnyonesPage) -> Response:
    query = page.query(InsightQuery)
    async with page.resources.database.reading(page.tenant) as connection:
        found = await read_insight(
            connection,
            page.tenant,
            page.actor,
            query.days(page.now),
            compare=query.compare is not None,
        )
    name = csv_name("insight", found.period.first, found.period.last)
    return Response(
        insight_csv(found),
        media_type="text/csv; charset=utf-8",
        headers={
            "content-disposition": content_disposition("attachment", name),
            "x-content-type-options": "nosniff",
            "cache-control": "private, no-store",
        },
    )


@router.get(f"{_METRICS}/churn")
async def churn(page: AnyonesPage) -> Response:
    query = page.query(ChurnQuery)
    async with page.resources.database.reading(page.tenant) as connection:
        found = await ChurnRepository(connection, page.tenant).latest(
            limit=query.limit + 1, level=query.level, after=query.cursor
        )
    return page.render(
        "analytics/churn.html",
        predictions=found[: query.limit],
        cursor=cursor_after(found, query.limit, lambda last: last.id),
        filters=query,
        levels=list(ChurnLevel),
    )


def _charts(
    page: Page, span: tuple[date, date], days: Sequence[DayMetrics], figures: Figures
) -> dict[str, BarChart]:
    """Return the charts, with one column for each UTC day in the range. A day without computed
    metrics is shown as a gap."""
    by_day = {one.day: one for one in days}
    p95 = figures.latency_p95_ms
    facts = {
        "alone": page.formats.number(figures.resolved_alone),
        "asked": page.formats.number(figures.asked),
        "p95": "–" if p95 is None else page.formats.span(p95 / 1000),
    }
    seconds: Callable[[float], str] = lambda value: page.formats.span(value / 1000)  # noqa: E731

    def drawn(
        name: str,
        *series: str,
        counts: TicketOutcome,
        of: Callable[[DayMetrics], tuple[float | None, ...]],
        shown: Callable[[float], str] = page.formats.number,
    ) -> BarChart:
        nothing = (None,) * len(series)
        columns = [
            ChartColumn(
                page.formats.day(day),
                of(by_day[day]) if day in by_day else nothing,
                TicketLinks(day, day).of(counts),
            )
            for day in days_of(*span)
        ]
        return bar_chart(
            page.say(f"analytics.charts.{name}", **facts),
            columns,
            series=[page.say(f"analytics.series.{one}") for one in series],
            first=page.say("analytics.metrics.day"),
            shown=shown,
        )

    return {
        "volume": drawn(
            "volume", "alone", "people", "open", counts=TicketOutcome.ASKED, of=_volume
        ),
        "latency": drawn(
            "latency",
            "p95",
            counts=TicketOutcome.TIMED,
            of=lambda day: (day.latency_p95_ms,),
            shown=seconds,
        ),
    }


def _volume(day: DayMetrics) -> tuple[float | None, ...]:
    if day.asked is None or day.resolved is None or day.resolved_alone is None:
        return None, None, None
    return day.resolved_alone, day.resolved - day.resolved_alone, day.asked - day.resolved
