"""integration inbound: the endpoints that receive a client's webhooks from other platforms."""

import json
import os
import secrets
import sys
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Final

import typer

from commands.core.context import (
    DEFAULT_DATA,
    DataOption,
    JsonOption,
    answer,
    command,
    database_of,
    environment_of,
    sealer_of,
    work_on_record,
)
from commands.core.person import operator
from domain.core.errors import InvalidInput
from domain.core.json_time import rfc3339
from domain.inbound.endpoint import (
    SECRET_BYTES,
    SECRET_HEADER,
    TOKEN_BYTES,
    EndpointEntry,
    WantedEndpoint,
    endpoint_url,
)
from domain.inbound.platform_catalogue import PLATFORMS
from domain.integrations.providers import Provider
from services.inbound.endpoints import (
    DrawnBytes,
    ShownEndpoint,
    close_endpoint,
    open_endpoint,
    rotate_endpoint,
    set_endpoint_secret,
)
from settings import load_server
from store.inbound.endpoints import EndpointRepository
from store.integrations.integrations import client_of

app = typer.Typer(
    help=("Manage the endpoints for webhooks from other platforms."), no_args_is_help=True
)

_VARIABLE: Final = "INBOUND_SECRET"
_SENT_AS_HEADER: Final = frozenset({Provider.GORGIAS, Provider.FRESHDESK})
_MISSING: Final = (
    "the secret that the platform uses to sign webhooks. All webhooks are rejected until "
    "`integration inbound secret` stores it"
)

IntegrationArgument = Annotated[str, typer.Argument()]


@app.callback()
def group() -> None:
    """Each connection can have one endpoint. docs/inbound.md explains where to enter the endpoint's
    URL."""


@command(app, "open")
async def open_one(
    integration_id: IntegrationArgument,
    secret: Annotated[
        bool,
        typer.Option(
            "--secret",
            help="Store the secret that the platform issued, from the environment variable "
            f"{_VARIABLE}, standard input or a prompt.",
        ),
    ] = False,
    mapping: Annotated[
        Path | None,
        typer.Option(
            help=(
                "JSON file with a JMESPath expression for each field. The generic format uses this "
                "file."
            )
        ),
    ] = None,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Open an endpoint. Its URL, and its secret if the service generates one, are shown only
    once."""
    wanted = WantedEndpoint(_secret() if secret else None, _mapping(mapping))
    sealer = sealer_of(data)
    async with work_on_record(data, client_of, integration_id) as work:
        shown = await open_endpoint(
            work, operator(), integration_id, wanted, _drawn(), sealer=sealer
        )
    _tell(data, as_json, "Endpoint opened. These values are shown only once:", shown)


@command(app, "rotate")
async def rotate(
    integration_id: IntegrationArgument,
    overlap_hours: Annotated[
        int,
        typer.Option(
            min=0,
            max=24,
            help=(
                "Hours for which the previous URL and secret remain valid; 0 revokes them "
                "immediately."
            ),
        ),
    ] = 24,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Rotate an endpoint's URL, and its secret if the service generated the secret."""
    sealer = sealer_of(data)
    async with work_on_record(data, client_of, integration_id) as work:
        shown = await rotate_endpoint(
            work,
            operator(),
            integration_id,
            _drawn(),
            sealer=sealer,
            overlap=timedelta(hours=overlap_hours),
        )
    _tell(data, as_json, "Endpoint rotated. These values are shown only once:", shown)


@command(app, "secret")
async def put_secret(
    integration_id: IntegrationArgument,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Store the secret that the platform uses to sign webhooks. The command reads the secret from
    the INBOUND_SECRET environment variable, standard input or a prompt. The endpoint's URL does not
    change."""
    secret, sealer = _secret(), sealer_of(data)
    async with work_on_record(data, client_of, integration_id) as work:
        await set_endpoint_secret(work, operator(), integration_id, secret, sealer=sealer)
    sentence = "Secret stored. A previous secret stays valid for 24 hours."
    answer(as_json, sentence, integration_id=integration_id)


@command(app, "show")
async def show(
    integration_id: IntegrationArgument,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Show whether an endpoint is open, and since when. The output does not include the endpoint's
    URL or secret."""
    async with database_of(data) as database:
        tenant = await database.find_client(client_of, integration_id)
        async with database.reading(tenant) as connection:
            entry = await EndpointRepository(connection, tenant).entry(integration_id)
    if as_json:
        answer(True, "", **entry.model_dump(mode="json"))
        return
    answer(False, "The endpoint is open.", **_facts(entry))


@command(app, "close")
async def close(
    integration_id: IntegrationArgument,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Close the endpoint. Webhooks that were already received stay in the log."""
    async with work_on_record(data, client_of, integration_id) as work:
        await close_endpoint(work, operator(), integration_id)
    answer(as_json, "Closed.", integration_id=integration_id)


def _tell(data: Path, as_json: bool, sentence: str, shown: ShownEndpoint) -> None:
    origin = load_server(environment_of(data)).origin
    provider = shown.entry.provider
    shown_once = {"url": endpoint_url(origin, provider, shown.token)}
    if shown.secret is not None:
        shown_once["secret"] = shown.secret
        if provider in _SENT_AS_HEADER:
            shown_once["header"] = SECRET_HEADER
    if not shown.entry.has_secret and PLATFORMS[provider].needs_secret:
        shown_once["missing"] = _MISSING
    answer(as_json, sentence, integration_id=shown.entry.integration_id, **shown_once)


def _facts(entry: EndpointEntry) -> dict[str, str]:
    facts = {
        "integration_id": entry.integration_id,
        "provider": entry.provider.value,
        "secret": "stored" if entry.has_secret else "none",
        "opened": rfc3339(entry.opened_at, "seconds"),
    }
    if entry.rotated_at is not None:
        facts["rotated"] = rfc3339(entry.rotated_at, "seconds")
    if entry.previous_until is not None:
        facts["before_good_until"] = rfc3339(entry.previous_until, "seconds")
    return facts


def _drawn() -> DrawnBytes:
    return DrawnBytes(secrets.token_bytes(TOKEN_BYTES), secrets.token_bytes(SECRET_BYTES))


def _mapping(file: Path | None) -> dict[str, str] | None:
    """Return the field mapping from a JSON file. Raises InvalidInput if the file is not valid."""
    if file is None:
        return None
    try:
        read: object = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise InvalidInput("--mapping: a file of JSON expected") from None
    if not isinstance(read, dict) or not all(isinstance(one, str) for one in read.values()):
        raise InvalidInput("--mapping: a JSON object of texts expected")
    return {str(field): str(expression) for field, expression in read.items()}


def _secret() -> str:
    """Return the secret from the environment, standard input, or a hidden prompt. The secret is
    never passed as an argument, because `ps` shows arguments."""
    value = os.environ.get(_VARIABLE)
    if not value and not sys.stdin.isatty():
        value = sys.stdin.readline()
    return (value or str(typer.prompt("secret", hide_input=True, err=True))).strip()
