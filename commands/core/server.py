"""serve, worker and migrate: the processes of an installation, one command each."""

import asyncio
import os
import resource
import socket
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import structlog
import typer
import uvicorn

from adapters.observability.logs import configure_logs
from adapters.observability.metrics import Metrics
from adapters.observability.probes import Probes, shown
from adapters.observability.redaction import Redactor
from adapters.observability.start import warn_of_what_is_missing
from adapters.observability.tracing import traces_of
from adapters.temporal.connection import check_credentials, connect
from adapters.temporal.runtime import set_up
from adapters.temporal.setup import ensure_search_attributes
from api.app import create_app
from api.http.draining_server import DrainingServer
from api.http.edge_limits import DEFAULT_LIMITS, EdgeLimits
from api.http.edge_watch import EdgeWatch
from api.http.protocol import edge_protocol
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
from embedded.ports import listening, port_of
from settings import load_temporal
from settings.service import ServerSettings
from store.core.migrate import migrate as migrate_database

# What was taken is finished within this: longer than the gateway's deadline. An export that takes
# longer is cut off without its end, so that nobody takes it for whole.
GRACE_S = 35
# Files the API opens for itself: PostgreSQL, Temporal, the event loop.
_OWN_FILES = 64


def serve(
    port: Annotated[int | None, typer.Option(help="PORT's value if absent.")] = None,
    fd: Annotated[
        int | None, typer.Option(help="A socket that listens already, inherited; no port then.")
    ] = None,
    data: DataOption = DEFAULT_DATA,
) -> None:
    """Serve the HTTP API until a signal ends it."""
    probes = Probes(Metrics())
    with ExitStack() as held:
        try:
            settings = settings_for(data)
            held.enter_context(shown(probes, settings.server.host, settings.watch.metrics_port))
            traces = held.enter_context(traces_of(settings.watch, "api"))
            listener = held.enter_context(
                listening(port or settings.server.port, settings.server.host)
                if fd is None
                else socket.socket(fileno=fd)
            )
            configure_logs(settings.watch.log_level, Redactor.of(settings))
            probes.library = set_up(numbers=settings.watch.metrics_port is not None)
            asyncio.run(check_credentials(settings.temporal))
        except DomainError as error:
            raise fail(describe(error)) from None
        app = create_app(settings, probes.metrics, traces)
        address = {"host": settings.server.host, "port": port_of(listener)}
        structlog.get_logger(__name__).info("api starts", **address)
        warn_of_what_is_missing(settings)
        config = uvicorn.Config(
            app,
            loop="uvloop",
            http=edge_protocol(EdgeWatch(app), _edge_limits(settings.server)),
            ws="none",
            # Only the other end of a connection counts, and no header that names another address.
            proxy_headers=False,
            log_config=None,
            access_log=False,
            timeout_graceful_shutdown=GRACE_S,
        )
        server = DrainingServer(config, app.state.draining, drain_s=settings.server.drain_s)
        with suppress(KeyboardInterrupt):
            server.run(sockets=[listener])


def _edge_limits(server: ServerSettings) -> EdgeLimits:
    """No more connections than the process may have open files for.

    It takes as many as the machine's administrator lets it have (the hard limit).
    """
    wanted = DEFAULT_LIMITS.connections + _OWN_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    files = wanted if soft == resource.RLIM_INFINITY else min(wanted, soft)
    connections = max(1, files - _OWN_FILES)
    per_address = max(1, connections * DEFAULT_LIMITS.per_address // DEFAULT_LIMITS.connections)
    return replace(
        DEFAULT_LIMITS,
        connections=connections,
        per_address=per_address,
        proxies=server.proxies,
    )


def worker(
    queue: Annotated[str, typer.Option(help="The task queue to work on.")] = names.ENGINE_QUEUE,
    data: DataOption = DEFAULT_DATA,
) -> None:
    """Run a worker until a signal ends it. Several may run at once, on any machines."""
    # Only here: what a worker computes with takes seconds to load, and only it needs that.
    import worker as process  # noqa: PLC0415

    if queue not in process.QUEUES:
        raise fail(f"queue: {' or '.join(process.QUEUES)} expected")
    try:
        process.start(queue, settings_for(data))
    except DomainError as error:
        raise fail(describe(error)) from None


def migrate(data: DataOption = DEFAULT_DATA, as_json: JsonOption = False) -> None:
    """Bring the database and Temporal's namespace up to this version; safe to repeat."""
    with anticipated():
        if url := os.environ.get("DATABASE_URL"):
            migrate_database(url)  # in no event loop, where the first Ctrl-C would not end it
        asyncio.run(_migrate_rest(data))
    answer(as_json, "The schema is current.", migrated=True)


async def _migrate_rest(data: Path) -> None:
    if not os.environ.get("DATABASE_URL"):
        async with database_of(data):
            pass  # opening the embedded database migrates it
    if os.environ.get("TEMPORAL_ADDRESS"):
        await ensure_search_attributes(await connect(load_temporal(os.environ)))
