"""A shop's owner, and an edge process with short timeouts, shared by the whole test session."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from api.http.edge_limits import DEFAULT_LIMITS
from domain.tenants.client import Role
from tests.support.core.edge_server import EdgeServer, edge_server
from tests.support.core.engine import LiveEngine
from tests.support.core.waiting import eventually
from tests.support.reviews.dashboard import person
from tests.support.servers.edge_callers import serves
from tests.support.tenants.shop import Shop

SHORT = replace(DEFAULT_LIMITS, head_s=0.6, stalled_s=1.0, linger_s=0.5)


@pytest.fixture
async def owner(front: LiveEngine, shop: Shop) -> dict[str, str]:
    """Return the headers of the shop's owner."""
    return await person(front, shop, Role.OWNER)


@pytest.fixture(scope="session")
def edge_process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EdgeServer]:
    with edge_server(tmp_path_factory.mktemp("edge"), SHORT) as server:
        yield server


@pytest.fixture
async def edge(edge_process: EdgeServer) -> EdgeServer:
    await eventually(lambda: serves(edge_process))
    return edge_process
