"""retention: how long a client's records are kept."""

from typing import Annotated

import typer

from commands.core.context import (
    DEFAULT_DATA,
    DataOption,
    JsonOption,
    answer,
    command,
    database_of,
)
from domain.core.ids import TenantId, parse_ulid
from domain.privacy.retention import RecordClass, days_kept
from store.privacy.retention import RetentionRepository
from store.tenants.clients import ClientRepository

app = typer.Typer(help="How long records are kept.", no_args_is_help=True)


@app.callback()
def retention_group() -> None:
    """What is older is removed every night."""


@app.command("show")
@command
async def show(
    client: Annotated[str, typer.Option(help="client_id")],
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Show how many days each class of a client's records is kept."""
    tenant = TenantId(parse_ulid(client) or client)
    async with database_of(data) as database, database.reading_across() as connection:
        await ClientRepository(connection).brand_name(tenant)
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
