"""worker and migrate: commands for the processes other than the API. Neither command imports HTTP
code."""

import asyncio
import os
from pathlib import Path
from typing import Annotated

import typer

from adapters.processes.module_loading import loading_modules
from commands.core.context import (
    DEFAULT_DATA,
    DataOption,
    JsonOption,
    answer,
    anticipated,
    database_of,
    describe,
    fail,
    settings_for,
)
from domain.core import names
from domain.core.errors import DomainError
from settings import load_temporal
from store.core.migrate import migrate as migrate_database


def worker(
    queue: Annotated[
        str, typer.Option(help=("Name of the task queue to process."))
    ] = names.ENGINE_QUEUE,
    data: DataOption = DEFAULT_DATA,
) -> None:
    """Run a worker until it receives a signal. You can run several workers at the same time, on one
    or more machines."""
    if queue not in names.QUEUES:
        raise fail(f"queue: {' or '.join(names.QUEUES)} expected")
    # The module is imported here because the worker's libraries take seconds to load. No other
    # command needs the libraries.
    with loading_modules():
        from workers import process  # noqa: PLC0415 - slow to load
    try:
        process.start(queue, settings_for(data))
    except DomainError as error:
        raise fail(describe(error)) from None


def migrate(data: DataOption = DEFAULT_DATA, as_json: JsonOption = False) -> None:
    """Migrate the database and Temporal's namespace to this version. The command is safe to
    repeat."""
    with anticipated():
        if url := os.environ.get("DATABASE_URL"):
            # The migration runs outside an event loop, so that the first Ctrl-C ends it.
            migrate_database(url)
        asyncio.run(_migrate_rest(data))
    answer(as_json, "The schema is up to date.", migrated=True)


async def _migrate_rest(data: Path) -> None:
    if not os.environ.get("DATABASE_URL"):
        async with database_of(data):
            pass  # Opening the embedded database migrates it.
    if os.environ.get("TEMPORAL_ADDRESS"):
        # The module is imported here because an installation may have a database but no Temporal
        # server.
        from adapters.temporal.connection import connect  # noqa: PLC0415 - slow to load
        from adapters.temporal.setup import ensure_search_attributes  # noqa: PLC0415 - slow to load

        await ensure_search_attributes(await connect(load_temporal(os.environ)))
