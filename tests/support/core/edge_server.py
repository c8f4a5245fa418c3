"""The edge with a small application, as a process, for tests of its limits without the engine.

Run with a port, a body's seconds, the keep-alive's seconds and the fields of EdgeLimits as JSON.
"""

import asyncio
import json
import os
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from ipaddress import ip_network
from pathlib import Path

import psutil
import uvicorn
from fastapi import FastAPI, Request
from prometheus_client import generate_latest
from starlette.responses import Response, StreamingResponse

from adapters.observability.logs import configure_logs
from adapters.observability.metrics import Metrics
from adapters.system import new_ulid, utc_now
from api.http.edge_limits import DEFAULT_LIMITS, EdgeLimits
from api.http.edge_watch import EdgeWatch
from api.http.json_body import MAX_COMING, json_response, parse_object, read_body
from api.http.protocol import edge_protocol
from api.http.request_context import RequestContext, answer_domain_error
from domain.core.error_report import ErrorReport
from domain.core.errors import DomainError
from domain.core.ports import Clock
from domain.tenants.errors import Unauthenticated
from embedded.ports import free_port
from embedded.process import Child
from services.core.concurrent_callers import ConcurrentCallers
from tests.support.core.forks import ROOT

LARGE = 64 * 1024 * 1024


class Reports:
    """An error tracker that records reports."""

    def __init__(self) -> None:
        self.codes: list[str] = []

    def report(self, report: ErrorReport) -> None:
        self.codes.append(report.code)


@dataclass(frozen=True)
class Watchers:
    """The resources that `RequestContext` uses."""

    metrics: Metrics
    tracker: Reports
    now: Clock
    bodies: ConcurrentCallers[str]


def create_app(body_s: float) -> FastAPI:
    app = FastAPI()
    watchers = Watchers(Metrics(), Reports(), utc_now, ConcurrentCallers(at_most=MAX_COMING))
    app.state.resources = watchers
    app.state.dashboard_url = ""
    app.add_exception_handler(DomainError, answer_domain_error)
    app.add_middleware(RequestContext, new_id=new_ulid)
    released = asyncio.Event()
    _add_work(app)

    @app.get("/ping")
    async def ping() -> Response:
        return json_response({"pong": True})

    @app.get("/seen")
    async def seen() -> Response:
        numbers = generate_latest(watchers.metrics.registry).decode()
        return json_response({"numbers": numbers, "reports": watchers.tracker.codes})

    @app.post("/echo")
    async def echo(request: Request) -> Response:
        request.state.caller = "anybody"
        return json_response(parse_object(await read_body(request, seconds=body_s)))

    @app.post("/headers")
    async def headers(request: Request) -> Response:
        await request.body()
        return json_response(dict(request.headers.items()))

    @app.post("/refused")
    async def refused() -> Response:
        raise Unauthenticated

    @app.get("/held")
    async def held() -> Response:
        await released.wait()
        return json_response({"held": True})

    @app.get("/release")
    async def release() -> Response:
        released.set()
        released.clear()
        return json_response({})

    @app.get("/stream")
    async def stream() -> Response:
        return StreamingResponse(_zeros())

    @app.get("/block")
    async def block() -> Response:
        return Response(bytes(LARGE))

    return app


def _add_work(app: FastAPI) -> None:
    """Add a route that occupies the event loop, and one that returns its callers in order."""
    worked: list[str] = []

    @app.get("/work")
    async def work(request: Request) -> Response:
        until = time.perf_counter() + 2 * DEFAULT_LIMITS.turn_s
        while time.perf_counter() < until:
            pass
        caller = request.client.host if request.client else ""
        worked.append(request.headers.get("x-forwarded-for", caller))
        return json_response({})

    @app.get("/worked")
    async def order() -> Response:
        return json_response({"order": worked})


async def _zeros() -> AsyncIterator[bytes]:
    for _ in range(LARGE // 65536):
        yield bytes(65536)


@dataclass(frozen=True)
class EdgeServer:
    port: int
    pid: int
    limits: EdgeLimits
    body_s: float
    keep_alive_s: int
    log: Path

    def callers(self) -> set[int]:
        """Return the peer ports of the process's connections."""
        ends = psutil.Process(self.pid).net_connections("tcp")
        return {end.raddr.port for end in ends if end.raddr}

    def memory(self) -> int:
        """Return the process's memory in bytes."""
        return int(psutil.Process(self.pid).memory_info().rss)


@contextmanager
def edge_server(
    folder: Path, limits: EdgeLimits, *, body_s: float = 0.6, keep_alive_s: int = 1
) -> Iterator[EdgeServer]:
    port, log = free_port(), folder / "edge.log"
    arguments = [str(port), str(body_s), str(keep_alive_s), json.dumps(asdict(limits), default=str)]
    child = Child(
        "edge",
        [sys.executable, "-m", "tests.support.core.edge_server", *arguments],
        log=log,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)},
    )
    try:
        yield EdgeServer(port, child.pid, limits, body_s, keep_alive_s, log)
    finally:
        child.terminate()
        child.wait(10)


def main() -> None:
    configure_logs("INFO")
    port, body_s, keep_alive_s, given = sys.argv[1:]
    limits = json.loads(given)
    limits["proxies"] = tuple(map(ip_network, limits["proxies"]))
    app = create_app(float(body_s))
    uvicorn.run(
        app,
        port=int(port),
        loop="uvloop",
        http=edge_protocol(EdgeWatch(app), EdgeLimits(**limits)),
        ws="none",
        proxy_headers=False,
        log_config=None,
        access_log=False,
        timeout_keep_alive=int(keep_alive_s),
        timeout_graceful_shutdown=1,
    )


if __name__ == "__main__":
    main()
