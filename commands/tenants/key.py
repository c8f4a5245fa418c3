"""key: commands that create and revoke API keys."""

import secrets
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
from commands.core.listing import print_list
from commands.core.person import operator
from domain.core.ids import TenantId
from domain.tenants.api_key import KEY_BYTES
from services.tenants.keys import create_key, revoke_key
from store.tenants.keys import KeyEntry, KeyRepository, client_of

app = typer.Typer(help="Manage API keys. To disable one, use `revoke`.", no_args_is_help=True)


@command(app, "create")
async def create(
    client: ClientOption,
    label: Annotated[str, typer.Option(help="Purpose of the key, used as its label.")],
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Create an API key. The complete key is shown only once."""
    random = secrets.token_bytes(KEY_BYTES)
    async with work_on(data) as units, units.of(TenantId(client)) as work:
        made = await create_key(work, operator(), label, random)
    answer(
        as_json,
        "Key created. Store it now: it is shown only once.",
        key_id=made.id,
        key_value=made.text,
        **(
            {"key": made.text} if as_json else {}
        ),  # The next release removes this old name of the field.
    )


@command(app, "list")
async def list_all(
    client: ClientOption, data: DataOption = DEFAULT_DATA, as_json: JsonOption = False
) -> None:
    """List a client's API keys, oldest first. Only the first characters of each key are shown."""
    async with reading_client(data, client) as (connection, tenant):
        found = await KeyRepository(connection).entries(tenant)
    if as_json:
        answer(True, "", keys=[_fields(key) for key in found])
        return
    print_list(
        ("key", "label", "begins", "state"),
        [
            (key.id, key.label, key.prefix, "active" if key.revoked_at is None else "revoked")
            for key in found
        ],
    )


def _fields(key: KeyEntry) -> dict[str, object]:
    return {
        "key_id": key.id,
        "client_id": key.client_id,
        "label": key.label,
        "prefix": key.prefix,
        "created_at": key.created_at,
        "is_active": key.is_active,
    }


@command(app, "show")
async def show(
    key_id: Annotated[str, typer.Argument()],
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Show one API key, without its secret part."""
    async with database_of(data) as database, database.reading_across() as connection:
        tenant = await client_of(connection, key_id)
        (found,) = (
            one for one in await KeyRepository(connection).entries(tenant) if one.id == key_id
        )
    answer(as_json, found.label, **_fields(found))


@command(app, "revoke")
async def revoke(
    key_id: Annotated[str, typer.Argument()],
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Revoke an API key. The revocation takes effect immediately and is permanent."""
    async with work_on(data) as units:
        tenant = await units.database.find_client(client_of, key_id)
        async with units.of(tenant) as work:
            await revoke_key(work, operator(), key_id)
    answer(as_json, "Key revoked.", key_id=key_id, is_active=False)
