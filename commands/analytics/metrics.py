"""metrics: a client's daily metrics."""

from datetime import date, datetime, timedelta
from typing import Annotated, Final

import typer

from adapters.system import utc_now
from commands.analytics.reports import AllOption, OneClientOption, left_running, reports_of, whose
from commands.core.context import (
    DEFAULT_DATA,
    ClientOption,
    DataOption,
    JsonOption,
    answer,
    command,
    fail,
    out,
    reading_client,
)
from commands.core.listing import print_list
from commands.core.progress import progress
from domain.analytics.contracts import BackfillMetricsInput
from domain.analytics.metrics import MAX_DAYS_AT_ONCE, DayMetrics, day_before
from domain.core.errors import InvalidInput
from domain.core.ids import parse_ulid
from store.analytics.metrics import MetricsRepository

app = typer.Typer(help="Show and compute daily metrics.", no_args_is_help=True)

SHOWN: Final = timedelta(days=29)
"""The difference between the last day and the first day of the default range."""

_DAY: Final = ["%Y-%m-%d"]

FromOption = Annotated[
    datetime | None,
    typer.Option(
        "--from", formats=_DAY, help=("First day of the range, UTC. The default range has 30 days.")
    ),
]
FirstOption = Annotated[
    datetime, typer.Option("--from", formats=_DAY, help=("First day to recompute, UTC."))
]
ToOption = Annotated[
    datetime | None,
    typer.Option("--to", formats=_DAY, help="Last day of the range, UTC; defaults to yesterday."),
]


@command(app, "show")
async def show(
    client: ClientOption,
    first: FromOption = None,
    last: ToOption = None,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Show a client's daily metrics. Days without computed metrics are omitted. To compute the
    metrics, run `metrics backfill`."""
    until = last.date() if last else day_before(utc_now())
    since = first.date() if first else until - SHOWN
    _check(since, until)
    async with reading_client(data, parse_ulid(client) or client) as (connection, tenant):
        found = await MetricsRepository(connection, tenant).between(since, until)
    if as_json:
        days = [day.model_dump(mode="json") for day in found]
        answer(True, "", client_id=tenant, days=days)
        return
    out.print(f"{len(found)} days from {since} to {until}")
    columns = ("day", "events", "runs", "resolved", "by agent", "escalated", "p50", "p95", "mood")
    print_list(columns, map(_cells, found))


def _cells(day: DayMetrics) -> tuple[str, ...]:
    return (
        str(day.day),
        str(day.events),
        str(day.runs),
        percent(day.resolution_rate),
        percent(day.automation_rate),
        percent(day.escalation_rate),
        milliseconds(day.latency_p50_ms),
        milliseconds(day.latency_p95_ms),
        "" if day.sentiment_mean is None else f"{day.sentiment_mean:+.2f}",
    )


def percent(share: float | None) -> str:
    """Return a fraction as a percentage, or an empty string for None."""
    return "" if share is None else f"{share:.0%}"


def milliseconds(value: float | None) -> str:
    """Return a latency as text in milliseconds, or an empty string for None."""
    return "" if value is None else f"{value:.0f} ms"


@command(app, "backfill")
async def backfill(
    first: FirstOption,
    last: ToOption = None,
    client: OneClientOption = None,
    every: AllOption = False,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Recompute the metrics of past days, on an engine worker. Days whose records have already been
    removed by retention stay unchanged. Ctrl-C stops waiting, but the work continues. Run the
    command again to resume waiting."""
    yesterday = day_before(utc_now())
    since, until = first.date(), last.date() if last else yesterday
    _check(since, until)
    if until > yesterday:
        raise InvalidInput(f"--to: {until} has not ended yet; the last full day is {yesterday}")
    client_id = await whose(client, every, data)
    reports = await reports_of(data)
    asked = BackfillMetricsInput(first=since, last=until, client_id=client_id)
    with left_running(), progress("Computing days", (until - since).days + 1) as bar:
        done = await reports.backfill_metrics(asked, bar.reach)
        bar.reach((until - since).days + 1)
    answer(
        as_json,
        f"Computed {since} to {until}.",
        computed=done.computed,
        changed=done.changed,
        left=done.left,
        failed=done.failed,
    )
    if done.failed:
        raise fail(
            "the metrics for some days could not be computed; the engine's log contains the ids "
            "of their clients"
        )


def _check(first: date, last: date) -> None:
    if first > last:
        raise InvalidInput(f"--from: {first} is after {last}")
    if (last - first).days >= MAX_DAYS_AT_ONCE:
        raise InvalidInput(f"--from: at most {MAX_DAYS_AT_ONCE} days at once")
