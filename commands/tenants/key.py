"""key: make and revoke API keys."""

import secrets
from typing import Annotated

import typer

from adapters.system import new_ulid, utc_now
from commands.core.context import (
    DEFAULT_DATA,
    DataOption,
    JsonOption,
    answer,
    command,
    transaction_on,
)
from commands.core.listing import print_list
from domain.core.errors import InvalidInput
from domain.tenants.api_key import key_material, key_value
from store.tenants.clients import ClientRepository
from store.tenants.keys import KeyEntry, KeyRepository

app = typer.Typer(help="API keys.", no_args_is_help=True)


@app.command("create")
@command
async def create(
    client: Annotated[str, typer.Option(help="client_id")],
    label: Annotated[str, typer.Option(help="What the key is for.")],
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Make a key. It is shown this once and never again."""
    if not label.strip():
        raise InvalidInput("a label is needed")
    key = key_value(secrets.token_bytes(16))
    material = key_material(key)
    if material is None:
        raise InvalidInput("the key has not the shape of one")
    key_id = new_ulid()
    async with transaction_on(data) as connection:
        await ClientRepository(connection).brand_name(client)
        await KeyRepository(connection).create(
            key_id=key_id, client_id=client, label=label.strip(), material=material, now=utc_now()
        )
    answer(as_json, "Key made: keep it, it is shown only now.", key_id=key_id, key=key)


@app.command("list")
@command
async def list_all(
    client: Annotated[str, typer.Option(help="client_id")],
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Show a client's keys, the oldest first; of each only how it begins."""
    async with transaction_on(data) as connection:
        await ClientRepository(connection).brand_name(client)
        found = await KeyRepository(connection).entries(client)
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
        "label": key.label,
        "prefix": key.prefix,
        "created_at": key.created_at.isoformat(),
        "is_active": key.revoked_at is None,
    }


@app.command("revoke")
@command
async def revoke(
    key_id: Annotated[str, typer.Argument()],
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Revoke a key, at once and for good."""
    async with transaction_on(data) as connection:
        await KeyRepository(connection).revoke(key_id, utc_now())
    answer(as_json, "Key revoked.", key_id=key_id, is_active=False)
