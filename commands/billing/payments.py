"""payment: payment events that require manual action."""

from typing import Annotated

import typer
from rich.markup import escape

from commands.core.context import (
    DEFAULT_DATA,
    DataOption,
    JsonOption,
    answer,
    command,
    database_of,
    out,
)
from commands.core.listing import facts_table
from domain.core.json_time import rfc3339
from store.billing.payment_events import PaymentEventRepository, PaymentForPeople

app = typer.Typer(help="List payments that need manual action.", no_args_is_help=True)


@app.callback()
def payment_group() -> None:
    """docs/billing.md explains how to resolve each problem."""


@command(app, "list")
async def list_latest(
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Maximum number of rows.")] = 20,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Show the latest refunds, and payments that match no purchase, newest first."""
    async with database_of(data) as database, database.reading_across() as connection:
        found = await PaymentEventRepository(connection).for_people(limit=limit)
    if as_json:
        answer(True, "", payments=[_fields(one) for one in found])
        return
    out.print(f"{len(found)} payments")
    for one in found:
        fields = _fields(one)
        table = facts_table(escape(f"{rfc3339(one.received_at, 'seconds')}  {one.problem}"))
        for name in ("event_id", "type", "amount", "client_id", "checkout_id"):
            table.add_row(name, escape(str(fields[name] or "unknown")))
        out.print(table)


def _fields(one: PaymentForPeople) -> dict[str, object]:
    return {
        "event_id": one.id,
        "type": one.type,
        "problem": one.problem.value,
        "amount": None if one.amount is None else str(one.amount),
        "client_id": one.client_id,
        "checkout_id": one.checkout_id,
        "received_at": one.received_at,
    }
