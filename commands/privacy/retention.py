"""retention: how long a client's records are kept."""

import typer

from commands.core.context import (
    DEFAULT_DATA,
    ClientOption,
    DataOption,
    JsonOption,
    answer,
    command,
    reading_client,
)
from domain.core.ids import parse_ulid
from domain.privacy.retention import RecordClass, days_kept
from store.privacy.retention import RetentionRepository

app = typer.Typer(help="Show how long records are kept.", no_args_is_help=True)


@app.callback()
def retention_group() -> None:
    """Records older than their retention period are removed every night."""


@command(app, "show")
async def show(
    client: ClientOption, data: DataOption = DEFAULT_DATA, as_json: JsonOption = False
) -> None:
    """Show how long each class of a client's records is kept, in days."""
    async with reading_client(data, parse_ulid(client) or client) as (connection, tenant):
        overrides = await RetentionRepository(connection, tenant).overrides()
    days = {one.value: days_kept(one, overrides) for one in RecordClass}
    if as_json:
        answer(True, "", client_id=tenant, days=days)
        return
    said = {
        name: ("for ever" if kept is None else f"{kept} days")
        + (", as the client has set" if name in overrides else "")
        for name, kept in days.items()
    }
    answer(False, "Records are kept", **said)
