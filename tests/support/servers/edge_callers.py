"""Requests to the edge process, and a check that other callers are served."""

import time

from tests.support.core.edge_server import EdgeServer
from tests.support.core.raw_http import ask

PING = b"GET /ping HTTP/1.1\r\nHost: a\r\n\r\n"
POST = b"POST %s HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
ECHO, REFUSED = POST % b"/echo", POST % b"/refused"
CHUNKED = b"Transfer-Encoding: chunked\r\n\r\n"
MEBIBYTE = 1024 * 1024
CALLER_WITHIN_S = 2.0


async def serves(server: EdgeServer, address: str | None = None) -> bool:
    """Return whether a healthy caller at that local address gets a response now."""
    try:
        return (await ask(server.port, PING, address)).status == 200
    except (OSError, EOFError):
        return False


async def healthy_caller(edge: EdgeServer) -> None:
    started = time.monotonic()
    assert await serves(edge)
    assert time.monotonic() - started < CALLER_WITHIN_S
