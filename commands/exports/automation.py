"""automation-event: raw events from the engine's first version."""

import json
from pathlib import Path
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
from commands.core.listing import print_list
from commands.core.person import operator
from commands.core.progress import progress
from commands.exports.importing import Watched, opened
from domain.core.ids import TenantId, parse_ulid
from services.exports.legacy_events import delete_legacy_event, import_legacy_events
from services.exports.tenant_import import PATIENCE_S
from store.exports.legacy_events import AutomationRepository

EventArgument = Annotated[str, typer.Argument(metavar="EVENT_ID")]

app = typer.Typer(help="Manage events from the engine's first version.", no_args_is_help=True)


@command(app, "import")
async def bring_in(
    file: Annotated[
        Path,
        typer.Argument(
            help=(
                "File with one JSON object per line, described in docs/export.md; - for standard "
                "input."
            )
        ),
    ],
    client: ClientOption,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Import events from a file. Either all events are imported or none. Events whose id already
    exists are skipped."""
    tenant = TenantId(parse_ulid(client) or client)
    with opened(file) as (stream, size):
        async with work_on(data) as units:
            with progress("Importing", size) as bar:
                async with units.of(tenant, patience_s=PATIENCE_S) as work:
                    done = await import_legacy_events(work, operator(), Watched(stream, bar))
    answer(
        as_json, f"{done.imported} events imported.", imported=done.imported, left_out=done.left_out
    )


@command(app, "list")
async def list_latest(
    client: ClientOption,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Maximum number of rows.")] = 20,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Show the latest events from the engine's first version, newest first."""
    async with reading_client(data, parse_ulid(client) or client) as (connection, tenant):
        found = await AutomationRepository(connection, tenant).latest(limit)
    if as_json:
        answer(True, "", events=[event.model_dump(mode="json") for event in found])
        return
    print_list(
        ("event", "came", "type", "source", "status", "customer"),
        [
            (
                event.id,
                f"{event.created_at:%Y-%m-%d %H:%M}",
                event.event_type,
                event.source or "",
                event.status or "",
                event.customer_email or "",
            )
            for event in found
        ],
    )


@command(app, "show")
async def show(
    event_id: EventArgument,
    client: ClientOption,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Show one event with its payload."""
    async with reading_client(data, parse_ulid(client) or client) as (connection, tenant):
        found, payload = await AutomationRepository(connection, tenant).read(event_id)
    if as_json:
        answer(True, "", **found.model_dump(mode="json"), payload=payload)
        return
    answer(False, found.event_type, **found.model_dump(mode="json"))
    typer.echo(json.dumps(payload, indent=2))


@command(app, "delete")
async def delete(
    event_id: EventArgument,
    client: ClientOption,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Delete one event permanently."""
    tenant = TenantId(parse_ulid(client) or client)
    async with work_on(data) as units, units.of(tenant) as work:
        await delete_legacy_event(work, operator(), event_id)
    answer(as_json, "Event deleted.", event_id=event_id)
