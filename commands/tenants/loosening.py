"""loosening: changes that give the agent more permissions and therefore need a second manager's
approval."""

from typing import Annotated

import typer

from commands.core.context import (
    DEFAULT_DATA,
    ClientOption,
    DataOption,
    JsonOption,
    answer,
    command,
    fields_of,
    model_of,
    reading_client,
    work_on,
)
from commands.core.listing import print_list
from commands.core.person import AsOption, acting
from domain.core.ids import TenantId
from services.playbooks.loosening_approvals import approve_loosening
from services.tenants.loosenings import cancel_loosening
from store.tenants.loosenings import LooseningRepository

app = typer.Typer(help="Manage changes that loosen protections.", no_args_is_help=True)

_LISTED = 100


@app.callback()
def group() -> None:
    """docs/playbooks.md lists the changes that need a second manager's approval."""


@command(app, "list")
async def list_loosenings(
    client: ClientOption, data: DataOption = DEFAULT_DATA, as_json: JsonOption = False
) -> None:
    """List changes that loosen a protection, newest first."""
    async with reading_client(data, client) as (connection, tenant):
        found = await LooseningRepository(connection, tenant).page(before=None, limit=_LISTED)
    if as_json:
        answer(True, "", loosenings=[fields_of(one, "loosening_id") for one in found])
        return
    print_list(
        ("loosening", "state", "takes effect", "what"),
        [
            (
                one.id,
                one.state.value,
                f"{one.takes_effect_at:%Y-%m-%d %H:%M}",
                "\n".join(f"{it.place}: {it.before} -> {it.after}" for it in one.differences),
            )
            for one in found
        ],
    )


@command(app, "approve")
async def approve(
    loosening_id: Annotated[str, typer.Argument()],
    client: ClientOption,
    person: AsOption = None,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Approve a change as the second manager."""
    model = model_of(data)
    async with work_on(data) as units:
        actor = await acting(units.database, person)
        async with units.of(TenantId(client)) as work:
            done = await approve_loosening(work, actor, loosening_id, model)
    answer(as_json, "Change approved.", loosening_id=done.id, state=done.state.value)


@command(app, "cancel")
async def cancel(
    loosening_id: Annotated[str, typer.Argument()],
    client: ClientOption,
    person: AsOption = None,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Cancel a pending change that loosens a protection."""
    async with work_on(data) as units:
        actor = await acting(units.database, person)
        async with units.of(TenantId(client)) as work:
            done = await cancel_loosening(work, actor, loosening_id)
    answer(as_json, "Change cancelled.", loosening_id=done.id, state=done.state.value)
