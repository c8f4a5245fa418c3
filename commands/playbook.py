"""playbook: which events the agent answers, and how sure it must be."""

from typing import Annotated

import typer

from adapters.system import new_ulid, utc_now
from commands.context import DEFAULT_DATA, DataOption, JsonOption, answer, command, transaction_on
from domain.errors import InvalidInput
from domain.ids import TenantId
from domain.playbook import DEFAULT_THRESHOLD, Playbook, check_pattern
from store.client_repository import ClientRepository
from store.playbook_repository import PlaybookRepository, set_playbook_active

app = typer.Typer(help="Playbooks.", no_args_is_help=True)


@app.command("create")
@command
async def create(
    client: Annotated[str, typer.Option(help="client_id")],
    name: Annotated[str, typer.Option()],
    event_type: Annotated[str, typer.Option(help="exact.type, prefix.* or * for all")] = "*",
    threshold: Annotated[float, typer.Option(help="0 to 1; below it a human decides")] = (
        DEFAULT_THRESHOLD
    ),
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Make a playbook; it is active at once."""
    if not 0 <= threshold <= 1:
        raise InvalidInput("threshold: a number from 0 to 1")
    playbook = Playbook(
        id=new_ulid(),
        version=1,
        name=name,
        event_type=check_pattern(event_type),
        threshold=threshold,
    )
    async with transaction_on(data) as connection:
        await ClientRepository(connection).brand_name(client)
        # The operator of this machine vouches for the client: there is nobody else to.
        repository = PlaybookRepository(connection, TenantId(client))
        await repository.create(playbook, active=True, now=utc_now())
    answer(as_json, f"Playbook {name} is active.", playbook_id=playbook.id, version=1)


@app.command("activate")
@command
async def activate(
    playbook_id: Annotated[str, typer.Argument()],
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Switch a playbook on."""
    await _switch(playbook_id, True, data, as_json)


@app.command("deactivate")
@command
async def deactivate(
    playbook_id: Annotated[str, typer.Argument()],
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Switch a playbook off: its events get no_playbook."""
    await _switch(playbook_id, False, data, as_json)


async def _switch(playbook_id: str, active: bool, data: DataOption, as_json: bool) -> None:
    async with transaction_on(data) as connection:
        await set_playbook_active(connection, playbook_id, active=active)
    answer(
        as_json,
        f"Playbook is {'active' if active else 'inactive'}.",
        playbook_id=playbook_id,
        is_active=active,
    )
