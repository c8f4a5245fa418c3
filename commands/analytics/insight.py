"""insight: metrics for a range of days, and knowledge gaps."""

from collections.abc import Sequence
from typing import Annotated

import typer

from adapters.system import utc_now
from commands.analytics.metrics import SHOWN, FromOption, ToOption, milliseconds, percent
from commands.core.context import (
    DEFAULT_DATA,
    ClientOption,
    DataOption,
    JsonOption,
    answer,
    command,
    database_of,
    out,
    reading_client,
)
from commands.core.listing import print_list
from commands.core.person import operator
from domain.analytics.gaps import GapSpan, KnowledgeGap
from domain.analytics.insight import Insight, Period, SliceFigures
from domain.analytics.insight_csv import gaps_csv, insight_csv
from domain.analytics.metrics import day_before
from domain.core.errors import InvalidInput
from domain.core.ids import TenantId, parse_ulid
from domain.core.money import Money
from services.analytics.gaps import GapReading, knowledge_gaps
from services.analytics.insight import MAX_DAYS, read_insight
from services.content.search_turns import search_turns
from store.tenants.clients import ClientRepository

app = typer.Typer(
    help="Show insight reports and unanswered questions.",
    no_args_is_help=True,
)

CsvOption = Annotated[bool, typer.Option("--csv", help="Print the report as CSV.")]


@command(app, "show")
async def show(
    client: ClientOption,
    first: FromOption = None,
    last: ToOption = None,
    compare: Annotated[
        bool, typer.Option("--compare", help="Also show the preceding period of the same length.")
    ] = False,
    data: DataOption = DEFAULT_DATA,
    as_csv: CsvOption = False,
    as_json: JsonOption = False,
) -> None:
    """Show a client's metrics for a range of days. docs/metrics.md explains each metric."""
    until = last.date() if last else day_before(utc_now())
    since = first.date() if first else until - SHOWN
    if not 0 <= (until - since).days < MAX_DAYS:
        raise InvalidInput(f"--from: from 1 to {MAX_DAYS} days, which end with {until}")
    async with reading_client(data, parse_ulid(client) or client) as (connection, tenant):
        found = await read_insight(connection, tenant, operator(), (since, until), compare=compare)
    if as_csv:
        typer.echo(insight_csv(found), nl=False)
    elif as_json:
        answer(True, "", client_id=tenant, **found.model_dump(mode="json", by_alias=True))
    else:
        _print(found)


def _print(found: Insight) -> None:
    period = found.period
    missing = f", {period.missing} not counted" if period.missing else ""
    out.print(f"{period.counted} days from {period.first} to {period.last}{missing}")
    if period.undetailed:
        out.print(f"{period.undetailed} days without refunds and details: run metrics backfill")
    now = _lines(period)
    then = _lines(found.previous) if found.previous else [""] * len(now)
    names = (
        *("asked", "resolved", "by agent", "with people", "escalated", "durable", "reopened"),
        *("p50", "p95", "mood", "rating", "satisfied", "refunded", "hours saved", "cost"),
    )
    print_list(("figure", "now", "before"), list(zip(names, now, then, strict=True)))
    for title, parts in (
        ("class", found.by_class),
        ("playbook", found.by_playbook),
        ("channel", found.by_channel),
    ):
        out.print()
        columns = (
            *(title, "asked", "resolved", "by agent", "escalated", "durable"),
            *("p50", "refunded", "satisfied"),
        )
        print_list(columns, map(_slice_cells, parts))
    out.print()
    reasons = ((one.reason, str(one.escalated), percent(one.rate)) for one in found.by_reason)
    print_list(("escalated for", "runs", "of asked"), reasons)


def _lines(period: Period) -> list[str]:
    figures = period.figures
    mood, rating = figures.sentiment_mean, figures.rating_mean
    return [
        str(figures.asked),
        percent(figures.resolution_rate),
        percent(figures.automation_rate),
        percent(figures.assisted_rate),
        percent(figures.escalation_rate),
        percent(figures.durable_rate),
        percent(figures.reopen_rate),
        milliseconds(figures.latency_p50_ms),
        milliseconds(figures.latency_p95_ms),
        "" if mood is None else f"{mood:+.2f}",
        "" if rating is None else f"{rating:.1f} of {figures.rated}",
        percent(figures.satisfied_share),
        _amounts(period.refunded),
        f"{figures.hours_saved:.1f}",
        f"${figures.cost_micros / 1_000_000:.2f}",
    ]


def _slice_cells(one: SliceFigures) -> tuple[str, ...]:
    return (
        one.name or one.key or "none",
        str(one.asked),
        percent(one.resolution_rate),
        percent(one.automation_rate),
        percent(one.escalation_rate),
        percent(one.durable_rate),
        milliseconds(one.latency_p50_ms),
        _amounts(one.refunded),
        percent(one.satisfied_share),
    )


def _amounts(amounts: Sequence[Money]) -> str:
    return ", ".join(map(str, amounts))


@command(app, "gaps")
async def gaps(
    client: ClientOption,
    days: Annotated[int, typer.Option(help="Number of past days to search: 30 or 90.")] = 30,
    limit: Annotated[
        int,
        typer.Option(min=1, max=100, help=("Maximum number of gaps, largest first.")),
    ] = 20,
    data: DataOption = DEFAULT_DATA,
    as_csv: CsvOption = False,
    as_json: JsonOption = False,
) -> None:
    """Show the questions that the agent could not answer, most frequent first."""
    # The module is imported here because it loads numpy. No other command in this module needs
    # numpy.
    from adapters.brain.question_clusters import QuestionReader  # noqa: PLC0415

    if days not in set(GapSpan):
        raise InvalidInput("--days: 30 or 90")
    tenant = TenantId(parse_ulid(client) or client)
    async with database_of(data) as database:
        async with database.reading_across() as connection:
            await ClientRepository(connection).brand_name(tenant)
        found = await knowledge_gaps(
            database,
            tenant,
            operator(),
            GapReading(QuestionReader(), search_turns()),
            span=GapSpan(days),
            now=utc_now(),
            limit=limit,
        )
    if as_csv:
        typer.echo(gaps_csv(found), nl=False)
        return
    if as_json:
        answer(True, "", client_id=tenant, **found.model_dump(mode="json"))
        return
    cut = ", the newest ones" if found.is_cut else ""
    out.print(f"{found.questions} questions{cut} in {found.clusters} gaps")
    print_list(("gap", "asked", "last", "for example", "known now"), map(_gap_cells, found.gaps))


def _gap_cells(gap: KnowledgeGap) -> tuple[str, ...]:
    return (
        gap.label,
        str(gap.count),
        f"{gap.last_seen:%Y-%m-%d}",
        gap.examples[0].text,
        gap.knowledge.title if gap.knowledge else "",
    )
