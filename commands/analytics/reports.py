"""Code shared by the report commands: the client option, and the connection to the Temporal server
that runs the reports."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from commands.core.context import environment_of, fail, reading_client
from domain.core.errors import InvalidInput
from domain.core.ids import parse_ulid

if TYPE_CHECKING:
    from adapters.temporal.reports import TemporalReports

OneClientOption = Annotated[str | None, typer.Option("--client", help="Id of the client.")]
AllOption = Annotated[bool, typer.Option("--all", help="Select all clients instead of one.")]


async def whose(client: str | None, every: bool, data: Path) -> str:
    """Return the client's id, or "" for all clients. Raises InvalidInput unless exactly one of
    --client and --all is given, and ClientNotFound."""
    if (client is None) is not every:
        raise InvalidInput("give --client ID or --all")
    if client is None:
        return ""
    async with reading_client(data, parse_ulid(client) or client) as (_, tenant):
        return tenant


async def reports_of(data: Path) -> "TemporalReports":
    """Return a TemporalReports for TEMPORAL_ADDRESS, else for the embedded stack on `data`. Raises
    InvalidInput if there is none."""
    env = environment_of(data)
    if not env.get("TEMPORAL_ADDRESS"):
        raise InvalidInput("no engine is running here: start one, or set TEMPORAL_ADDRESS")
    # The module is imported here because Temporal's client takes half a second to load. Commands
    # that only show a report do not need the client.
    from adapters.temporal.connection import connect  # noqa: PLC0415
    from adapters.temporal.reports import TemporalReports  # noqa: PLC0415
    from settings import load_temporal  # noqa: PLC0415

    return TemporalReports(await connect(load_temporal(env), lazy=True))


@contextmanager
def left_running() -> Iterator[None]:
    """Run the block. If the user interrupts it, print an error message that states that the work
    continues, and exit."""
    try:
        yield
    except asyncio.CancelledError:
        raise fail(
            "interrupted; the engine continues the work, and the same command resumes waiting"
        ) from None
