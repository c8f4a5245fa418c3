"""data-request: requests from customers who asked a shop for their stored data."""

import os
from pathlib import Path
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
    out,
    reading_client,
    work_on_record,
)
from commands.core.listing import print_list
from commands.core.person import operator
from domain.core.errors import InvalidInput
from domain.core.ids import parse_ulid
from domain.inbound.data_request import DataRequest
from services.inbound.data_requests import download_customer_file, fulfil_data_request
from store.inbound.data_requests import DataRequestRepository, client_of_data_request

app = typer.Typer(help="Manage customer data requests.", no_args_is_help=True)

RequestArgument = Annotated[str, typer.Argument(metavar="REQUEST_ID")]


@command(app, "list")
async def list_requests(
    client: ClientOption,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Maximum number of rows.")] = 20,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """List a client's data requests, newest first."""
    async with reading_client(data, client) as (connection, tenant):
        found = await DataRequestRepository(connection, tenant).page(before=None, limit=limit)
    if as_json:
        answer(True, "", requests=[fields_of(one, "request_id") for one in found])
        return
    out.print(f"{len(found)} requests")
    print_list(("request", "customer", "due", "handed over"), [_cells(one) for one in found])


@command(app, "export")
async def export(
    request_id: RequestArgument,
    to: Annotated[
        Path | None, typer.Option(help="File to write; defaults to standard output.")
    ] = None,
    data: DataOption = DEFAULT_DATA,
) -> None:
    """Export all records of the customer who made the data request, as JSON."""
    wanted = parse_ulid(request_id) or request_id
    async with work_on_record(data, client_of_data_request, wanted) as work:
        found = await download_customer_file(work, operator(), wanted)
    text = found.model_dump_json(indent=2)
    if to is None:
        typer.echo(text)
        return
    try:
        handle = os.open(to, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise InvalidInput(f"{to} already exists") from None
    with os.fdopen(handle, "w") as file:
        file.write(text + "\n")
    out.print(f"written to {to}")


@command(app, "fulfil")
async def fulfil(
    request_id: RequestArgument, data: DataOption = DEFAULT_DATA, as_json: JsonOption = False
) -> None:
    """Mark a data request as fulfilled. If the request is already marked, the record still shows
    the first person who marked it."""
    wanted = parse_ulid(request_id) or request_id
    async with work_on_record(data, client_of_data_request, wanted) as work:
        done = await fulfil_data_request(work, operator(), wanted)
    if as_json:
        answer(True, "", **fields_of(done, "request_id"))
        return
    out.print(f"handed over by {done.fulfilled_by}")


def _cells(request: DataRequest) -> tuple[str, ...]:
    return (
        request.id,
        request.customer_email or "",
        f"{request.due_at:%Y-%m-%d}",
        f"{request.fulfilled_at:%Y-%m-%d}" if request.fulfilled_at else "",
    )
