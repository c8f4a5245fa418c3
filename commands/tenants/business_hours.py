"""business-hours: a client's business hours and its target for the first answer."""

from collections.abc import Sequence
from typing import Annotated

import typer

from commands.core.context import (
    DEFAULT_DATA,
    ClientOption,
    DataOption,
    JsonOption,
    answer,
    command,
    reading_client,
    work_on,
)
from commands.core.person import operator
from domain.core.errors import InvalidInput
from domain.core.ids import TenantId
from domain.tenants.business_hours import (
    MAX_TARGET_MINUTES,
    BusinessHours,
    OpeningInterval,
    Weekday,
    parse_day,
    parse_holidays,
    written_day,
)
from services.tenants.business_hours import (
    NO_TARGET,
    adjust_business_hours,
    read_business_hours,
)

app = typer.Typer(
    help="Manage a client's business hours and its target for the first answer.",
    no_args_is_help=True,
)


@app.callback()
def group() -> None:
    """docs/dashboard.md explains business hours."""


@command(app, "show")
async def show(
    client: ClientOption, data: DataOption = DEFAULT_DATA, as_json: JsonOption = False
) -> None:
    """Show a client's business hours."""
    async with reading_client(data, client) as (connection, tenant):
        found = await read_business_hours(connection, tenant, operator())
    _show(found, "Business hours of this client:", as_json)


@command(app, "set")
async def change(
    client: ClientOption,
    time_zone: Annotated[
        str | None, typer.Option(help="IANA time zone, such as Europe/Paris.")
    ] = None,
    day: Annotated[
        list[str] | None,
        typer.Option(
            help="WEEKDAY=HOURS, such as monday=09:00-12:30,14:00-18:00. WEEKDAY= for a closed "
            "day. Repeatable. If all days are closed, the client is open around the clock."
        ),
    ] = None,
    holiday: Annotated[
        list[str] | None,
        typer.Option(
            help="Date on which the client is closed, such as 2026-12-25. Repeatable. Replaces "
            "the current list; empty for none."
        ),
    ] = None,
    target_minutes: Annotated[
        int | None,
        typer.Option(
            min=NO_TARGET,
            max=MAX_TARGET_MINUTES,
            help=f"Target for the first answer, in minutes of business time; {NO_TARGET} for none.",
        ),
    ] = None,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Change the given parts of a client's business hours."""
    if (time_zone, day, holiday, target_minutes) == (None, None, None, None):
        raise InvalidInput("nothing to change: see business-hours set --help")
    days = _days(day or ())
    holidays = None if holiday is None else parse_holidays(holiday)
    async with work_on(data) as units, units.of(TenantId(client)) as work:
        changed = await adjust_business_hours(
            work,
            operator(),
            time_zone=time_zone,
            days=days,
            holidays=holidays,
            target_minutes=target_minutes,
        )
    _show(changed, "Changed.", as_json)


def _days(given: Sequence[str]) -> dict[Weekday, tuple[OpeningInterval, ...]]:
    """Return the intervals by weekday, from WEEKDAY=HOURS pairs. Raises InvalidInput if a pair is
    invalid."""
    wanted = {}
    for pair in given:
        name, mark, hours = (part.strip() for part in pair.partition("="))
        if not mark or name not in tuple(Weekday):
            raise InvalidInput("--day WEEKDAY=HOURS expected, as in monday=09:00-18:00")
        wanted[Weekday(name)] = parse_day(hours)
    return wanted


def _show(found: BusinessHours, sentence: str, as_json: bool) -> None:
    if as_json:
        answer(True, "", **found.model_dump(mode="json"))
        return
    answer(
        False,
        sentence,
        time_zone=found.time_zone,
        **{
            day.value: written_day(found.week.get(day, ())) or ("closed" if found.week else "open")
            for day in Weekday
        },
        holidays=", ".join(map(str, found.holidays)) or "-",
        target_minutes=found.target_minutes or "-",
    )
