"""errors: internal errors of the service, for installations without an error tracker."""

from typing import Annotated

import typer
from rich.markup import escape

from commands.core.context import (
    DEFAULT_DATA,
    DataOption,
    JsonOption,
    answer,
    command,
    database_of,
    out,
)
from commands.core.listing import facts_table, print_list
from domain.core.ids import parse_ulid
from domain.core.json_time import rfc3339
from store.core.error_reports import ErrorReportRepository, StoredReport

app = typer.Typer(help="Show error reports, which are kept for 30 days.", no_args_is_help=True)


@command(app, "list")
async def list_latest(
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Maximum number of rows.")] = 20,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Show the latest internal errors, newest first. If SENTRY_DSN is set, errors go to Sentry
    instead."""
    async with database_of(data) as database, database.reading_across() as connection:
        found = await ErrorReportRepository(connection).latest(limit=limit)
    if as_json:
        answer(True, "", errors=[_as_dict(stored) for stored in found])
        return
    print_list(("error", "when", "number", "code", "place", "raised"), map(_cells, found))


@command(app, "show")
async def show(
    error_id: Annotated[str, typer.Argument(metavar="ERROR_ID")],
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Show one error with its stack trace."""
    async with database_of(data) as database, database.reading_across() as connection:
        found = await ErrorReportRepository(connection).read(parse_ulid(error_id) or error_id)
    if as_json:
        answer(True, "", **_as_dict(found))
        return
    report = found.report
    table = facts_table()
    table.add_row("error", found.id)
    table.add_row("when", rfc3339(report.created_at, "seconds"))
    table.add_row("number", str(report.occurrences))
    table.add_row("code", report.code)
    table.add_row("place", escape(report.place))
    table.add_row("request", report.request_id or "none")
    table.add_row("client", report.client_id or "unknown")
    table.add_row("event", report.event_id or "unknown")
    for one in report.exceptions:
        table.add_row(one.type, escape("\n".join(map(str, one.frames))))
    out.print(table)


def _cells(stored: StoredReport) -> tuple[str, ...]:
    report = stored.report
    raised = ", ".join(one.type for one in report.exceptions)
    when = f"{report.created_at:%m-%d %H:%M:%S}"
    return stored.id, when, str(report.occurrences), report.code, report.place, raised


def _as_dict(stored: StoredReport) -> dict[str, object]:
    return {"id": stored.id, **stored.report.model_dump(mode="json")}
