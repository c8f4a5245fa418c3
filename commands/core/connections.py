"""connections: a command that checks whether PostgreSQL allows enough connections for all of an
installation's processes."""

from typing import Annotated, Final

import typer

from commands.core.context import (
    DEFAULT_DATA,
    DataOption,
    JsonOption,
    answer,
    database_of,
    fail,
    synchronous,
)
from commands.core.listing import print_list
from store.core.connections import connection_limits
from store.core.pools import OF_A_PROCESS

# These process counts must match docker-compose.yml. tests/test_compose.py verifies that.
API: Final = 2
WORKERS: Final = 2
WEBHOOK_WORKERS: Final = 1
TEMPORAL: Final = 120
# Number of migrations and operator commands that can run at the same time.
COMMANDS: Final = 5
# During a rolling upgrade, one additional process runs and needs this many connections.
REPLACED: Final = max(OF_A_PROCESS.values())


def processes(
    api: int, workers: int, webhook_workers: int, others: int
) -> list[tuple[str, int, int]]:
    """Return each kind of process, with the number of processes and the maximum number of
    connections per process."""
    counts = {
        "api": api,
        "engine worker": workers,
        "webhook worker": webhook_workers,
        "command": COMMANDS,
    }
    rows = [(kind, count, OF_A_PROCESS[kind]) for kind, count in counts.items()]
    return [*rows, ("being replaced", 1, REPLACED), ("others", 1, others)]


@synchronous
async def connections(
    api: Annotated[int, typer.Option(min=0, help="Number of API processes.")] = API,
    workers: Annotated[int, typer.Option(min=0, help="Number of engine workers.")] = WORKERS,
    webhook_workers: Annotated[
        int, typer.Option(min=0, help="Number of webhook workers.")
    ] = WEBHOOK_WORKERS,
    others: Annotated[
        int,
        typer.Option(min=0, help="Number of connections used by other programs, such as Temporal."),
    ] = TEMPORAL,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Check that PostgreSQL allows as many connections as all processes can open together. The exit
    code is 1 if its limit is too low."""
    rows = processes(api, workers, webhook_workers, others)
    needed = sum(count * each for _, count, each in rows)
    async with database_of(data) as database, database.unscoped() as connection:
        limits = await connection_limits(connection)
    if not as_json:
        cells = [(kind, str(n), str(each), str(n * each)) for kind, n, each in rows]
        print_list(("process", "how many", "each", "together"), cells)
    answer(
        as_json,
        f"{needed} connections at most, of {limits.usable}.",
        needed=needed,
        usable=limits.usable,
        max_connections=limits.max_connections,
        reserved=limits.reserved,
        open_now=limits.open_now,
    )
    if needed > limits.usable:
        raise fail(f"max_connections: {needed + limits.reserved} or more are needed")
