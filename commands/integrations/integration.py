"""integration: external systems that a client's agent can query and act on."""

import os
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Final

import typer

from adapters.connectors.http import open_client
from adapters.connectors.registry import ConnectorRegistry
from commands.core.context import (
    DEFAULT_DATA,
    ClientOption,
    DataOption,
    JsonOption,
    answer,
    command,
    database_of,
    environment_of,
    reading_client,
    sealer_of,
    warn,
    work_on,
    work_on_record,
)
from commands.core.listing import print_list
from commands.core.person import operator
from commands.integrations import inbound_endpoint
from domain.core.errors import InvalidInput
from domain.core.ids import TenantId
from domain.integrations.integration import IntegrationEntry, check_credential_names, check_settings
from domain.integrations.providers import PROVIDERS, Provider
from domain.integrations.trial import SENTENCES, Problem
from services.integrations.connections import disconnect_integration
from services.integrations.trials import connect_and_try, try_integration
from settings import load_integrations
from store.integrations.integrations import IntegrationRepository, client_of

app = typer.Typer(
    help="Manage a client's shops and helpdesks. To end a connection, use `disconnect`.",
    no_args_is_help=True,
)

app.add_typer(inbound_endpoint.app, name="inbound")

_SECRET_VARIABLE: Final = "INTEGRATION_{}"  # noqa: S105 - where one is read from


@app.callback()
def group() -> None:
    """A client can have one connection per provider. docs/integrations.md lists the settings and
    secrets of each provider."""


@command(app, "connect")
async def connect(
    client: ClientOption,
    provider: Annotated[Provider, typer.Option()],
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help=("Setting of the connection, as NAME=VALUE. Repeatable.")),
    ] = None,
    secrets: Annotated[
        list[str] | None,
        typer.Option(
            "--secret",
            help=(
                "Name of a secret, never its value. The value is read from the "
                "INTEGRATION_<NAME> environment variable, or from a prompt."
            ),
        ),
    ] = None,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Connect a client to a provider, and test the connection. The connection is stored even if the
    test fails. It replaces an existing connection to the same provider."""
    public = _settings(settings or [])
    # Check the settings before prompting for a secret.
    check_settings(provider, public)
    check_credential_names(provider, frozenset(secrets or []))
    sealer = sealer_of(data)
    credentials = {name: _secret(name) for name in secrets or []}
    async with work_on(data) as units, _connectors(data) as connectors:
        made = await connect_and_try(
            units,
            operator(),
            TenantId(client),
            provider,
            settings=public,
            credentials=credentials,
            sealer=sealer,
            connectors=connectors,
        )
    _tell(made.problem)
    works = "Connected."
    if not credentials and PROVIDERS[provider].may_listen:
        works = "Connected without credentials: the agent only receives its webhooks."
    answer(
        as_json,
        works
        if made.problem is None
        else ("Connected, but the agent cannot use the connection yet."),
        integration_id=made.id,
        provider=provider.value,
        **_for_programs(as_json, made.problem),
    )


@command(app, "test")
async def try_one(
    integration_id: Annotated[str, typer.Argument()],
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Test a connection with an inexpensive read-only request. The exit code is 1 if the agent
    cannot use the connection."""
    async with work_on(data) as units, _connectors(data) as connectors:
        tenant = await units.database.find_client(client_of, integration_id)
        problem = await try_integration(
            units, operator(), tenant, integration_id, connectors=connectors
        )
    _tell(problem)
    sentence = (
        ("The agent can use the connection.")
        if problem is None
        else "The agent cannot use the connection."
    )
    answer(as_json, sentence, integration_id=integration_id, **_for_programs(as_json, problem))
    if problem is not None:
        raise typer.Exit(1)


@command(app, "list")
async def list_all(
    client: ClientOption, data: DataOption = DEFAULT_DATA, as_json: JsonOption = False
) -> None:
    """Show a client's connections without their secrets, oldest first."""
    async with reading_client(data, client) as (connection, tenant):
        entries = await IntegrationRepository(connection, tenant).entries()
    if as_json:
        answer(True, "", integrations=[entry.model_dump(mode="json") for entry in entries])
        return
    print_list(
        ("integration", "provider", "status", "since", "settings"),
        [
            (
                entry.id,
                entry.provider.value,
                _status(entry),
                f"{entry.connected_at:%Y-%m-%d}",
                ", ".join(f"{name}={value}" for name, value in entry.settings.items()),
            )
            for entry in entries
        ],
    )


@command(app, "show")
async def show(
    integration_id: Annotated[str, typer.Argument()],
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Show one connection, without its secrets."""
    async with database_of(data) as database, database.reading_across() as connection:
        tenant = await client_of(connection, integration_id)
        found = await IntegrationRepository(connection, tenant).entry(integration_id)
    if as_json:
        answer(True, "", client_id=tenant, **found.model_dump(mode="json"))
        return
    facts = {
        "client_id": tenant,
        "provider": found.provider.value,
        "status": _status(found),
        "since": found.connected_at,
    }
    answer(False, found.id, **{**found.settings, **facts})


def _status(entry: IntegrationEntry) -> str:
    return " ".join(filter(None, (entry.status.value, entry.error_code)))


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


@asynccontextmanager
async def _connectors(data: Path) -> AsyncIterator[ConnectorRegistry]:
    """Yield the connectors to clients' systems, configured like the workers of `data`."""
    allowed = load_integrations(environment_of(data)).allow_loopback_targets
    sealer = sealer_of(data)
    async with open_client() as outside:
        yield ConnectorRegistry(sealer, outside, allow_loopback=allowed)


def _for_programs(as_json: bool, problem: Problem | None) -> dict[str, Problem | None]:
    """Return the problem as a field of the JSON output. Without `--json`, return no field, because
    the problem is printed as a warning."""
    return {"problem": problem} if as_json else {}


def _tell(problem: Problem | None) -> None:
    if problem is not None:
        warn(f"{SENTENCES[problem]} ({problem})")


def _settings(given: Sequence[str]) -> dict[str, str]:
    """Return the settings from NAME=VALUE pairs. Raises InvalidInput, without quoting the pair,
    which may contain a secret."""
    pairs = [item.partition("=") for item in given]
    if not all(name and value for name, _, value in pairs):
        raise InvalidInput("--set NAME=VALUE expected")
    settings = {name.strip(): value.strip() for name, _, value in pairs}
    if len(settings) != len(pairs):
        raise InvalidInput("--set: a name is given twice")
    return settings


def _secret(name: str) -> str:
    """Return the secret from the environment or a hidden prompt. The secret is never passed as an
    argument, because `ps` shows arguments."""
    variable = _SECRET_VARIABLE.format(name.upper())
    value = os.environ.get(variable)
    if not value and not sys.stdin.isatty():
        raise InvalidInput(
            f"set {variable}, or run this command in a terminal to enter the secret at a prompt"
        )
    return (value or str(typer.prompt(name, hide_input=True, err=True))).strip()
