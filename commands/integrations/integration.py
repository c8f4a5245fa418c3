"""integration: what a client's agent may look things up in and act on."""

import os
import sys
from collections.abc import Sequence
from typing import Annotated, Final

import typer
from rich.markup import escape

from commands.core.context import (
    DEFAULT_DATA,
    ClientOption,
    DataOption,
    JsonOption,
    answer,
    command,
    out,
    reading_client,
    sealer_of,
    work_on,
    work_on_record,
)
from commands.core.listing import facts_table
from commands.core.person import operator
from domain.core.errors import InvalidInput
from domain.core.ids import TenantId
from domain.integrations.integration import Provider, check_credential_names, check_settings
from services.integrations.connections import connect_integration, disconnect_integration
from store.integrations.integrations import IntegrationRepository, client_of

app = typer.Typer(help="A client's shops and helpdesks.", no_args_is_help=True)

_SECRET_VARIABLE: Final = "INTEGRATION_{}"  # noqa: S105 - where one is read from


@app.callback()
def group() -> None:
    """One connection a provider; docs/integrations.md says what each needs."""


@command(app, "connect")
async def connect(
    client: ClientOption,
    provider: Annotated[Provider, typer.Option()],
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="NAME=VALUE, as often as needed.")
    ] = None,
    secrets: Annotated[
        list[str] | None,
        typer.Option(
            "--secret",
            help="Name of a secret, never the secret itself: that is read from the environment "
            "variable INTEGRATION_<NAME>, or asked for.",
        ),
    ] = None,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Connect a client; a connection to the same provider that was there ends."""
    public = _settings(settings or [])
    # Before somebody is asked for a secret.
    check_settings(provider, public)
    check_credential_names(provider, frozenset(secrets or []))
    sealer = sealer_of(data)
    credentials = {name: _secret(name) for name in secrets or []}
    async with work_on(data) as units, units.of(TenantId(client)) as work:
        made = await connect_integration(
            work, operator(), provider, public, credentials, sealer=sealer
        )
    answer(as_json, "Connected.", integration_id=made.id, provider=provider.value)


@command(app, "list")
async def list_all(
    client: ClientOption, data: DataOption = DEFAULT_DATA, as_json: JsonOption = False
) -> None:
    """Show a client's connections, the oldest first, without their secrets."""
    async with reading_client(data, client) as (connection, tenant):
        entries = await IntegrationRepository(connection, tenant).entries()
    if as_json:
        answer(True, "", integrations=[entry.model_dump(mode="json") for entry in entries])
        return
    out.print(f"{len(entries)} connections")
    for entry in entries:
        # No title of the table: one that is wider than the table would be broken.
        out.print(entry.id, style="bold", highlight=False)
        table = facts_table()
        table.add_row("provider", entry.provider.value)
        table.add_row("status", " ".join(filter(None, (entry.status.value, entry.error_code))))
        table.add_row("since", entry.connected_at.isoformat(timespec="minutes"))
        for name, value in entry.settings.items():
            table.add_row(name, escape(value))
        out.print(table)


@command(app, "disconnect")
async def disconnect(
    integration_id: Annotated[str, typer.Argument()],
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """End a connection and erase its secrets."""
    async with work_on_record(data, client_of, integration_id) as work:
        await disconnect_integration(work, operator(), integration_id)
    answer(as_json, "Disconnected.", integration_id=integration_id)


def _settings(given: Sequence[str]) -> dict[str, str]:
    """NAME=VALUE pairs. What is malformed is not repeated: it may be a secret."""
    pairs = [item.partition("=") for item in given]
    if not all(name and value for name, _, value in pairs):
        raise InvalidInput("--set NAME=VALUE expected")
    settings = {name.strip(): value.strip() for name, _, value in pairs}
    if len(settings) != len(pairs):
        raise InvalidInput("--set: a name is given twice")
    return settings


def _secret(name: str) -> str:
    """From the environment, else typed unseen; never from the arguments, which `ps` shows."""
    variable = _SECRET_VARIABLE.format(name.upper())
    value = os.environ.get(variable)
    if not value and not sys.stdin.isatty():
        raise InvalidInput(f"set {variable}, or run this on a terminal to be asked for it")
    return (value or str(typer.prompt(name, hide_input=True, err=True))).strip()
