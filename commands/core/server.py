"""serve: the command that runs the HTTP API."""

import asyncio
import resource
import socket
from contextlib import ExitStack, suppress
from dataclasses import replace
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
from adapters.temporal.connection import check_credentials
from adapters.temporal.runtime import set_up
from api.app import create_app
from api.http.draining_server import DrainingServer
from api.http.edge_limits import DEFAULT_LIMITS, EdgeLimits
from api.http.edge_watch import EdgeWatch
from api.http.protocol import edge_protocol
from commands.core.context import (
    DEFAULT_DATA,
    DataOption,
    describe,
    fail,
    settings_for,
)
from domain.core.errors import DomainError
from embedded.ports import listening, port_of
from settings.service import ServerSettings

# On shutdown, requests in progress have this many seconds, longer than the gateway's deadline. A
# slower export is cut off without its end marker, so that a truncated file cannot look complete.
GRACE_S = 35
# Besides client connections, the API needs this many file descriptors for PostgreSQL, Temporal and
# the event loop.
_OWN_FILES = 64


def serve(
    port: Annotated[int | None, typer.Option(help="Port for the API; defaults to PORT.")] = None,
    fd: Annotated[
        int | None,
        typer.Option(
            help="File descriptor of an inherited listening socket, used instead of a port."
        ),
    ] = None,
    data: DataOption = DEFAULT_DATA,
) -> None:
    """Serve the HTTP API until the process receives SIGTERM or SIGINT."""
    probes = Probes(Metrics())
    with ExitStack() as held:
        try:
            settings = settings_for(data)
            watch = settings.watch
            held.enter_context(shown(probes, watch.metrics_host, watch.metrics_port))
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
        structlog.get_logger(__name__).info("API starting", **address)
        warn_of_what_is_missing(settings)
        config = uvicorn.Config(
            app,
            loop="uvloop",
            http=edge_protocol(EdgeWatch(app), _edge_limits(settings.server)),
            ws="none",
            # Trust only the peer address of the connection. uvicorn must not read an address from a
            # header.
            proxy_headers=False,
            log_config=None,
            access_log=False,
            timeout_graceful_shutdown=GRACE_S,
        )
        server = DrainingServer(config, app.state.draining, drain_s=settings.server.drain_s)
        with suppress(KeyboardInterrupt):
            server.run(sockets=[listener])


def _edge_limits(server: ServerSettings) -> EdgeLimits:
    """Return the connection limits, reduced to fit the process's open file limit. First raise the
    soft limit, at most to the hard limit."""
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
