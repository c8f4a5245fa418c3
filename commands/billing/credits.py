"""credits: a client's balance of tickets above its plan's quota."""

from typing import Annotated

import typer

from commands.core.context import (
    DEFAULT_DATA,
    ClientOption,
    DataOption,
    JsonOption,
    answer,
    command,
    work_on,
)
from commands.core.person import operator
from domain.core.ids import TenantId
from services.billing.credits import add_credits

app = typer.Typer(help="Credits.", no_args_is_help=True)


@app.callback()
def credits_group() -> None:
    """One credit pays for one ticket above the plan's quota."""


@command(app, "add")
async def add(
    client: ClientOption,
    amount: Annotated[int, typer.Option(help="Credits to add; negative takes away.")],
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Add credits; the ledger keeps every change."""
    async with work_on(data) as units, units.of(TenantId(client)) as work:
        balance = await add_credits(work, operator(), amount)
    answer(as_json, "Credits changed.", client_id=client, credits_balance=balance)
