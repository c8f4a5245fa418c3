"""credits: a client's balance of tickets above its plan's quota."""

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
from domain.core.errors import InvalidInput
from domain.core.ids import TenantId
from store.tenants.accounts import AccountRepository

app = typer.Typer(help="Credits.", no_args_is_help=True)


@app.callback()
def credits_group() -> None:
    """One credit pays for one ticket above the plan's quota."""


@app.command("add")
@command
async def add(
    client: Annotated[str, typer.Option(help="client_id")],
    amount: Annotated[int, typer.Option(help="Credits to add; negative takes away.")],
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Add credits; the ledger keeps every change."""
    if amount == 0:
        raise InvalidInput("amount: a whole number other than 0")
    async with transaction_on(data) as connection:
        balance = await AccountRepository(connection, TenantId(client)).add_credits(
            amount, entry_id=new_ulid(), reason="operator", now=utc_now()
        )
    answer(as_json, "Credits changed.", client_id=client, credits_balance=balance)
