"""/app: Home, with open work, the agent's recent work, problems and key metrics."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final

from fastapi import APIRouter
from starlette.responses import Response

from api.dashboard.charts import Sparkline, sparkline
from api.dashboard.next_page import HOME
from api.dashboard.page import AnyonesPage, Page
from api.dashboard.ticket_links import TicketLinks
from domain.analytics.insight import Figures, before, period
from domain.analytics.metrics import DayInsight, day_before, days_of, share
from domain.analytics.saved_time import MINUTES_PER_TICKET, hours_saved
from domain.billing.quota import UNLIMITED
from domain.core.period import period_of
from domain.runs.inbox import InboxFilter, InboxTicket
from domain.runs.ticket_outcome import TicketOutcome
from domain.tenants.actor import REVIEWERS
from services.customers.customers import customer_names
from services.dashboard.home import report_away, visit_home
from services.reviews.inbox import read_inbox
from services.reviews.waiting import read_waiting
from store.analytics.metrics import MetricsRepository
from store.billing.usage import UsageRepository
from store.dashboard.overview import read_overview

_DAYS: Final = 30
_FIRST: Final = 3
"""The maximum number of tickets that need the team listed on the page."""

_QUOTA_LOW: Final = 0.8

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True, slots=True)
class KeyFigure:
    """A key metric for the last 30 days. `name` is its label's key, and `href` links to its
    tickets."""

    name: str
    value: str
    note: str
    href: str
    line: Sparkline


@router.get(HOME)
async def overview(page: AnyonesPage) -> Response:
    last = day_before(page.now)
    span = (last - timedelta(days=_DAYS - 1), last)
    async with page.resources.work.of(page.tenant) as work:
        visit = await visit_home(work, page.actor)
    async with page.resources.database.reading(page.tenant) as connection:
        found = await read_overview(connection, page.tenant)
        away = await report_away(connection, page.tenant, page.actor, visit, page.now)
        # One query reads both ranges because they are adjacent.
        days = await MetricsRepository(connection, page.tenant).insight(before(*span)[0], last)
        usage = await UsageRepository(connection, page.tenant).in_month(period_of(page.now))
        first = await read_inbox(
            connection, page.tenant, page.actor, InboxFilter(), limit=_FIRST, now=page.now
        )
        talks = [one.conversation_id for one in first.tickets if one.conversation_id]
        waits = await read_waiting(connection, page.tenant, page.actor, talks, page.now)
        addresses = [one.customer_email for one in first.tickets]
        names = await customer_names(connection, page.tenant, page.actor, addresses)
    standing = usage.standing(page.now)
    limit = standing.tickets_limit
    return page.render(
        "dashboard/overview.html",
        found=found,
        away=away,
        first=first.tickets,
        waits=waits,
        names=names,
        longest=_longest_wait(first.tickets),
        may_decide=page.may(REVIEWERS),
        figures=_key_figures(page, span, days),
        trial_ends_at=usage.subscription.trial_end(page.now),
        is_quota_low=limit != UNLIMITED and standing.tickets_used >= limit * _QUOTA_LOW,
    )


@router.get("/app/needs-you")
async def needs_you(page: AnyonesPage) -> Response:
    """Return the menu's count of open reviews. Open pages poll this route."""
    return page.render("dashboard/needs_you.html")


def _longest_wait(tickets: Sequence[InboxTicket]) -> datetime | None:
    """Return the start of the longest wait, or None if it is unknown. Urgent tickets are listed
    first, so only a list with another ticket contains the longest wait."""
    if len(tickets) == _FIRST and tickets[-1].urgent:
        return None
    return min((one.waiting_since for one in tickets if one.waiting_since), default=None)


def _key_figures(
    page: Page, span: tuple[date, date], days: Sequence[DayInsight]
) -> tuple[KeyFigure, ...]:
    """Return the key metrics with their daily values, or nothing if there are no tickets. A day
    without computed metrics is a gap in the line."""
    by_day = {day.day: day for day in days if day.day >= span[0]}
    now = period(*span, list(by_day.values())).figures
    earlier = before(*span)
    then = period(*earlier, [day for day in days if day.day < span[0]]).figures
    if not now.asked:
        return ()
    fmt = page.formats
    tickets = TicketLinks(*span)

    def figure(
        name: str,
        shown: Callable[[Figures], str],
        of: Callable[[DayInsight], float | None],
        behind: TicketOutcome,
        *,
        top: float | None = None,
        note: str | None = None,
        is_weekly: bool = False,
    ) -> KeyFigure:
        values = [of(by_day[day]) if day in by_day else None for day in days_of(*span)]
        label = page.say(f"home_page.figures.{name}")
        value = shown(now)
        title = "home_page.weekly_line" if is_weekly else "home_page.line"
        line = sparkline(page.say(title, label=label, value=value), values, top=top)
        was = page.say("home_page.before", value=shown(then)) if then.asked else ""
        return KeyFigure(name, value, was if note is None else note, tickets.of(behind), line)

    def median(figures: Figures) -> str:
        ms = figures.latency_p50_ms
        return "–" if ms is None else fmt.span(ms / 1000)

    return (
        figure(
            "automated",
            lambda of: fmt.percent(of.automation_rate),
            lambda day: day.automation_rate,
            TicketOutcome.AUTOMATED,
            top=1,
        ),
        figure("response", median, lambda day: day.latency_p50_ms, TicketOutcome.TIMED),
        figure(
            "satisfied",
            lambda of: fmt.percent(of.satisfied_share),
            lambda day: _satisfied_in_week(by_day, day.day),
            TicketOutcome.RATED,
            top=1,
            is_weekly=True,
        ),
        figure(
            "saved",
            lambda of: page.say(
                "home_page.hours", hours=fmt.number(hours_saved(of.resolved_alone))
            ),
            lambda day: day.resolved_alone,
            TicketOutcome.AUTOMATED,
            note=page.say("home_page.per_ticket", minutes=MINUTES_PER_TICKET),
        ),
    )


def _satisfied_in_week(by_day: Mapping[date, DayInsight], last: date) -> float | None:
    """Return the share of satisfied customers in the week that ends with a day. One day has too few
    ratings for a line."""
    week = [by_day[day] for day in days_of(last - timedelta(days=6), last) if day in by_day]
    return share(sum(day.satisfied for day in week), sum(day.rated for day in week))
