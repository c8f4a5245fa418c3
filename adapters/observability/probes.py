"""A process's metrics and a worker's health endpoints. A separate thread serves them on
METRICS_PORT."""

import asyncio
import json
import socket
import urllib.request
from collections.abc import Iterator
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Final

from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from adapters.observability.metrics import Metrics
from adapters.observability.questions import OK, Questions
from domain.core.errors import InvalidInput

# An event loop that is blocked for more than this many seconds is unhealthy.
_LOOP_TURNS_WITHIN_S: Final = 5.0
_LIBRARY_ANSWERS_WITHIN_S: Final = 2.0
_CALLER_PATIENCE_S: Final = 10.0
_JSON: Final = "application/json"


@dataclass(frozen=True, slots=True)
class _Health:
    """A running process: its event loop, and the checks of its dependencies (`readiness`)."""

    loop: asyncio.AbstractEventLoop
    readiness: Questions[str]


class Probes:
    """The endpoints on METRICS_PORT. `library` is the local URL of the Temporal library's metrics,
    which are appended to ours."""

    def __init__(self, metrics: Metrics) -> None:
        self.metrics = metrics
        self.library: str | None = None
        self.draining = False
        self._health: _Health | None = None

    @contextmanager
    def ready_when(self, readiness: Questions[str]) -> Iterator[None]:
        """Report the health of the running event loop and its dependencies while the block runs."""
        self._health = _Health(asyncio.get_running_loop(), readiness)
        try:
            yield
        finally:
            self._health = None

    def numbers(self) -> bytes:
        """Return our metrics, followed by the Temporal library's metrics, in Prometheus's text
        format. If the library is unreachable, its metrics are omitted."""
        ours = generate_latest(self.metrics.registry)
        if self.library is None:
            return ours
        try:
            with urllib.request.urlopen(self.library, timeout=_LIBRARY_ANSWERS_WITHIN_S) as answer:  # noqa: S310 - http, to ourselves
                return ours + bytes(answer.read())
        except OSError:
            return ours

    def alive(self) -> tuple[int, dict[str, object]]:
        """Return the status and a JSON body: 200 if the event loop responds or the process is
        starting, otherwise 503. Only a restart unblocks an event loop."""
        if self._health is None:
            return 200, {"status": "starting"}
        try:
            asyncio.run_coroutine_threadsafe(_turn(), self._health.loop).result(
                _LOOP_TURNS_WITHIN_S
            )
        except (FutureTimeout, RuntimeError):
            return 503, {"status": "held"}
        return 200, {"status": OK}

    def ready(self) -> tuple[int, dict[str, object]]:
        """Return the status, and a body with one word per dependency. The status is 200 if the
        process can work now, otherwise 503."""
        if self.draining:
            return 503, {"status": "draining", "checks": {}}
        if self._health is None:
            return 503, {"status": "starting", "checks": {}}
        asked = asyncio.run_coroutine_threadsafe(
            self._health.readiness.answers(), self._health.loop
        )
        try:
            checks = asked.result(_LOOP_TURNS_WITHIN_S)
        except (FutureTimeout, RuntimeError):
            return 503, {"status": "held", "checks": {}}
        ready = all(word == OK for word in checks.values())
        status = "ready" if ready else "not_ready"
        return 200 if ready else 503, {"status": status, "checks": checks}


async def _turn() -> None:
    """Do nothing. This coroutine completes in the event loop's next iteration, which shows that the
    loop is not blocked."""


@contextmanager
def shown(probes: Probes, host: str, port: int | None, *, health: bool = False) -> Iterator[None]:
    """Serve GET /metrics at http://host:port while the block runs, unless `port` is None. `health`
    adds /healthz and /readyz, for a process without another port. Raises InvalidInput if the port
    cannot be opened."""
    if port is None:
        yield
        return

    class Handler(_Handler):
        asked, with_health = probes, health

    try:
        server = _server(host, port, Handler)
    except OSError as error:
        raise InvalidInput(
            f"METRICS_PORT {port} cannot be opened on {host}: {error.strerror or 'no such address'}"
        ) from error
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _server(host: str, port: int, handler: type["_Handler"]) -> ThreadingHTTPServer:
    family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]

    class Server(ThreadingHTTPServer):
        address_family = family
        daemon_threads = True

    return Server((str(address[0]), port), handler)


class _Handler(BaseHTTPRequestHandler):
    asked: Probes
    with_health: bool
    timeout = _CALLER_PATIENCE_S

    def do_GET(self) -> None:
        match self.path.partition("?")[0]:
            case "/metrics":
                self._send(200, CONTENT_TYPE_LATEST, self.asked.numbers())
            case "/healthz" if self.with_health:
                self._send_word(*self.asked.alive())
            case "/readyz" if self.with_health:
                self._send_word(*self.asked.ready())
            case _:
                self._send_word(404, {"status": "not_found"})

    def _send_word(self, status: int, body: dict[str, object]) -> None:
        self._send(status, _JSON, json.dumps(body).encode())

    def _send(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
        """Do not log requests, because Prometheus scrapes are frequent and not worth logging."""
