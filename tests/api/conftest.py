"""The edge with short times, as a process of its own that all tests of a session share."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from api.http.edge_limits import DEFAULT_LIMITS
from tests.support.core.edge_server import EdgeServer, edge_server
from tests.support.core.raw_http import ask
from tests.support.core.waiting import eventually

SHORT = replace(DEFAULT_LIMITS, head_s=0.6, stalled_s=1.0, linger_s=0.5)
PING = b"GET /ping HTTP/1.1\r\nHost: a\r\n\r\n"


@pytest.fixture(scope="session")
def edge_process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EdgeServer]:
    with edge_server(tmp_path_factory.mktemp("edge"), SHORT) as server:
        yield server


@pytest.fixture
async def edge(edge_process: EdgeServer) -> EdgeServer:
    await eventually(lambda: serves(edge_process))
    return edge_process


async def serves(server: EdgeServer) -> bool:
    """A healthy caller gets its answer now."""
    try:
        return (await ask(server.port, PING)).status == 200
    except (OSError, EOFError):
        return False
