"""automation: commands that stop or resume all automation for a client or for the installation."""

from typing import Annotated

import typer

from commands.core.context import (
    DEFAULT_DATA,
    ClientOption,
    DataOption,
    JsonOption,
    answer,
    command,
    database_of,
    reading_client,
    work_on,
)
from commands.core.person import AsOption, acting, operator
from domain.core.ids import TenantId
from domain.tenants.automation import AutomationState
from services.tenants.automation import (
    resume_automation,
    resume_installation,
    stop_automation,
    stop_installation,
)
from store.tenants.automation import AutomationStops, InstallationStops

app = typer.Typer(help="Stop and resume all automation.", no_args_is_help=True)

OptionalClient = Annotated[
    str | None,
    typer.Option("--client", help="Id of the client; defaults to the whole installation."),
]


@app.callback()
def group() -> None:
    """docs/operations.md explains what stopping automation does."""


@command(app, "show")
async def show(
    client: OptionalClient = None, data: DataOption = DEFAULT_DATA, as_json: JsonOption = False
) -> None:
    """Show whether automation is stopped for a client or for the installation."""
    if client is None:
        async with database_of(data) as database, database.reading_across() as connection:
            stop = await InstallationStops(connection).read()
        since = stop and stop.at
        by = stop and stop.by
        answer(as_json, _sentence(stop is not None), stopped_at=since, stopped_by=by)
        return
    async with reading_client(data, client) as (connection, tenant):
        _show(await AutomationStops(connection, tenant).read(), as_json)


@command(app, "stop")
async def stop(
    client: ClientOption,
    person: AsOption = None,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Stop all automatic answers and actions for a client."""
    async with work_on(data) as units:
        actor = await acting(units.database, person)
        async with units.of(TenantId(client)) as work:
            state = await stop_automation(work, actor)
    _show(state, as_json)


@command(app, "resume")
async def resume(
    client: ClientOption,
    person: AsOption = None,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Resume automation for a client."""
    async with work_on(data) as units:
        actor = await acting(units.database, person)
        async with units.of(TenantId(client)) as work:
            state = await resume_automation(work, actor)
    _show(state, as_json)


@command(app, "stop-installation")
async def stop_all(data: DataOption = DEFAULT_DATA, as_json: JsonOption = False) -> None:
    """Stop all automatic answers and actions for every client."""
    async with work_on(data) as units, units.everywhere() as work:
        found = await stop_installation(work, operator())
    answer(as_json, _sentence(True), stopped_at=found and found.at)


@command(app, "resume-installation")
async def resume_all(data: DataOption = DEFAULT_DATA, as_json: JsonOption = False) -> None:
    """Resume automation for all clients."""
    async with work_on(data) as units, units.everywhere() as work:
        await resume_installation(work, operator())
    answer(as_json, _sentence(False), stopped_at=None)


def _show(state: AutomationState, as_json: bool) -> None:
    own, all_clients = state.stopped, state.installation_stopped
    answer(
        as_json,
        _sentence(state.is_stopped),
        stopped_at=own and own.at,
        stopped_by=own and own.by,
        installation_stopped_at=all_clients,
    )


def _sentence(stopped: bool) -> str:
    if stopped:
        return "Stopped: the agent sends no answer and executes no action without human approval."
    return "Not stopped."
