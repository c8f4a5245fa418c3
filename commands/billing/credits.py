"""credits: a client's credits, which pay for tickets beyond the plan's quota."""

from typing import Annotated

import typer

from commands.core.context import (
    DEFAULT_DATA,
    ClientOption,
    DataOption,
    JsonOption,
    answer,
    command,
    reading_client,
    work_on,
)
from commands.core.listing import print_list
from commands.core.person import operator
from domain.core.ids import TenantId, parse_ulid
from services.billing.credits import add_credits
from store.billing.credit_entries import CreditEntries, CreditEntry

app = typer.Typer(help="Manage credits.", no_args_is_help=True)


@app.callback()
def credits_group() -> None:
    """One credit pays for one ticket beyond the plan's quota."""


@command(app, "add")
async def add(
    client: ClientOption,
    amount: Annotated[
        int, typer.Option(help=("Number of credits to add; a negative number removes credits."))
    ],
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Add credits to a client's balance. The ledger records every change."""
    async with work_on(data) as units, units.of(TenantId(client)) as work:
        balance = await add_credits(work, operator(), amount)
    answer(as_json, "Credits changed.", client_id=client, credits_balance=balance)


@command(app, "list")
async def list_latest(
    client: ClientOption,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Maximum number of rows.")] = 20,
    before: Annotated[
        str | None,
        typer.Option(metavar="ENTRY_ID", help=("Show only entries older than this entry.")),
    ] = None,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Show the ledger of a client's credits, newest entry first, with the balance after each
    change."""
    async with reading_client(data, parse_ulid(client) or client) as (connection, tenant):
        found = await CreditEntries(connection, tenant).page(limit=limit, before=before)
    if as_json:
        answer(True, "", client_id=tenant, entries=[_fields(entry) for entry in found])
        return
    print_list(
        ("entry", "when", "credits", "balance", "because of"),
        [
            (
                entry.id,
                f"{entry.created_at:%Y-%m-%d %H:%M}",
                f"{entry.amount:+d}",
                str(entry.balance),
                entry.reason,
            )
            for entry in found
        ],
    )


def _fields(entry: CreditEntry) -> dict[str, object]:
    return {
        "entry_id": entry.id,
        "amount": entry.amount,
        "balance": entry.balance,
        "reason": entry.reason,
        "event_id": entry.event_id,
        "created_at": entry.created_at,
    }
