"""automation-event: the raw events of the engine's first version."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Final

import typer

from adapters.system import new_ulid
from commands.core.context import (
    DEFAULT_DATA,
    DataOption,
    JsonOption,
    answer,
    command,
    database_of,
)
from commands.core.listing import print_list
from commands.core.progress import progress
from commands.exports.importing import Watched, opened
from domain.core.ids import TenantId, parse_ulid
from domain.core.plain_text import without_controls
from domain.exports.legacy_event import MAX_LINE_BYTES, LegacyEvent, parse_line
from store.exports.legacy_events import AutomationRepository
from store.exports.tenant_import import PATIENCE_S
from store.tenants.accounts import AccountRepository
from store.tenants.clients import ClientRepository

app = typer.Typer(help="Events of the engine's first version.", no_args_is_help=True)

ClientOption = Annotated[str, typer.Option(help="client_id")]
_BATCH: Final = 500
_BATCH_BYTES: Final = 1 << 20


@app.command("import")
@command
async def bring_in(
    file: Annotated[Path, typer.Argument(help="A JSON object a line, see docs/export.md; or -")],
    client: ClientOption,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Bring events in, all or none; those whose id is there already are left out."""
    tenant = TenantId(parse_ulid(client) or client)
    read = added = 0
    with opened(file) as (stream, size):
        async with database_of(data) as database:
            with progress("Importing", size) as bar:
                async with database.tenant(tenant, patience_s=PATIENCE_S) as connection:
                    await ClientRepository(connection).brand_name(tenant)
                    events = AutomationRepository(connection, tenant)
                    for batch in _batches(Watched(stream, bar)):
                        read += len(batch)
                        added += await events.add(batch, new_ulid)
                    # Last, since events wait for it: an erasure begins after this or is noticed.
                    await AccountRepository(connection, tenant).lock()
    answer(as_json, f"{added} events imported.", imported=added, left_out=read - added)


def _batches(source: Watched) -> Iterator[list[LegacyEvent]]:
    """Events in file order, so many as one statement may take. Raises InvalidInput."""
    batch: list[LegacyEvent] = []
    size = number = 0
    while line := source.readline(MAX_LINE_BYTES + 1):
        number += 1
        if not line.strip():
            continue
        batch.append(parse_line(line, number))
        size += len(line)
        if len(batch) == _BATCH or size > _BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


@app.command("list")
@command
async def list_latest(
    client: ClientOption,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many at most.")] = 20,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Show the latest events, newest first."""
    tenant = TenantId(parse_ulid(client) or client)
    async with database_of(data) as database, database.reading_across() as connection:
        await ClientRepository(connection).brand_name(tenant)
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
                *map(_shown, (event.event_type, event.source, event.status, event.customer_email)),
            )
            for event in found
        ],
    )


def _shown(text: str | None) -> str:
    return without_controls(text or "")
