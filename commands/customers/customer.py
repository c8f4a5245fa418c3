"""customer: commands that find a client's customers and open data requests."""

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
    database_of,
    fields_of,
    out,
    reading_client,
    work_on_record,
)
from commands.core.listing import print_list
from commands.core.person import operator
from domain.core.ids import parse_ulid
from domain.core.json_time import rfc3339
from domain.core.money import Money
from domain.customers.customer import ListedCustomer
from services.customers.customers import list_customers, read_customer
from services.inbound.data_requests import open_data_request
from store.customers.customer_lists import client_of_customer

app = typer.Typer(
    help="Find a client's customers and open data requests for them.", no_args_is_help=True
)

_LISTED: Final = ("customer", "email", "name", "last contact", "tickets", "orders", "spent", "risk")

CustomerArgument = Annotated[str, typer.Argument(metavar="CUSTOMER_ID")]


@command(app, "list")
async def list_some(
    client: ClientOption,
    find: Annotated[
        str,
        typer.Option(
            help="Beginnings of words in the customer's name or email address, or an order number."
        ),
    ] = "",
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Maximum number of rows.")] = 50,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Show a client's customers, latest contact first."""
    async with reading_client(data, client) as (connection, tenant):
        found, _ = await list_customers(
            connection, tenant, operator(), find, after=None, limit=limit
        )
    if as_json:
        answer(True, "", customers=[fields_of(one, "customer_id") for one in found])
        return
    out.print(f"{len(found)} customers")
    print_list(_LISTED, [_cells(one) for one in found])


@command(app, "show")
async def show(
    customer_id: CustomerArgument, data: DataOption = DEFAULT_DATA, as_json: JsonOption = False
) -> None:
    """Show a customer with conversations, orders, refunds and internal notes."""
    wanted = parse_ulid(customer_id) or customer_id
    async with database_of(data) as database:
        tenant = await database.find_client(client_of_customer, wanted)
        async with database.reading(tenant) as connection:
            found = await read_customer(connection, tenant, operator(), wanted)
    if as_json:
        answer(True, "", **fields_of(found, "customer_id"))
        return
    out.print(f"{found.id} {escape(found.email)} {escape(found.name or '')}")
    out.print(f"spent {_sums(found.figures.spent)}, refunded {_sums(found.refunded)}")
    for talk in found.conversations:
        out.print(f"conversation {talk.id} {rfc3339(talk.last_message_at)}")
    for order in found.orders:
        out.print(f"order {escape(order.number)} {order.state} {order.total or ''}")
    for note in found.notes:
        out.print(f"note of {escape(note.author)}: {escape(note.body)}")


@command(app, "request-data")
async def request_data(
    customer_id: CustomerArgument, data: DataOption = DEFAULT_DATA, as_json: JsonOption = False
) -> None:
    """Open a data request for a customer. To write the customer's data to a file, run `data-request
    export`."""
    wanted = parse_ulid(customer_id) or customer_id
    async with work_on_record(data, client_of_customer, wanted) as work:
        request = await open_data_request(work, operator(), wanted)
    answer(as_json, "Data request open.", **fields_of(request, "request_id"))


def _cells(customer: ListedCustomer) -> tuple[str, ...]:
    figures = customer.figures
    return (
        customer.id,
        customer.email,
        customer.name or "",
        rfc3339(customer.last_contact_at),
        str(figures.conversations),
        str(figures.orders),
        _sums(figures.spent),
        figures.risk or "",
    )


def _sums(amounts: tuple[Money, ...]) -> str:
    return " + ".join(str(one) for one in amounts) or "0"
