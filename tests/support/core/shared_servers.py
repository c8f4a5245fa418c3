"""One PostgreSQL and one Temporal for all test processes of a run.

pytest-xdist's controller starts and stops the servers. A process without a controller has its own.
"""

import tempfile
from contextlib import AbstractContextManager, ExitStack, nullcontext
from pathlib import Path
from typing import Final, Protocol

import pytest

from tests.support.core.postgres import PostgresServer, postgres_server
from tests.support.core.temporal import TemporalServer, temporal_server

_ADDRESSES: Final = pytest.StashKey[dict[str, str]]()
_POSTGRES, _TEMPORAL = "postgres_url", "temporal_address"


class _Node(Protocol):
    """A process that pytest-xdist is about to start, and its input."""

    config: pytest.Config
    workerinput: dict[str, str]


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: _Node) -> None:
    """Start the servers, and pass their addresses to a new process."""
    addresses = node.config.stash.get(_ADDRESSES, None) or _start(node.config)
    node.workerinput.update(addresses)


def _start(config: pytest.Config) -> dict[str, str]:
    held = ExitStack()
    config.add_cleanup(held.close)
    folder = held.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
    temporal = held.enter_context(temporal_server(Path(folder) / "temporal.log"))
    postgres = held.enter_context(postgres_server())
    addresses = {_POSTGRES: postgres.url, _TEMPORAL: temporal.address}
    config.stash[_ADDRESSES] = addresses
    return addresses


def postgres_for(config: pytest.Config) -> AbstractContextManager[PostgresServer]:
    """Return the shared server, or this process's own."""
    given = _given(config)
    if _POSTGRES not in given:
        return postgres_server()
    return nullcontext(PostgresServer(given[_POSTGRES], user=given["workerid"]))


def temporal_for(config: pytest.Config, log: Path) -> AbstractContextManager[TemporalServer]:
    """Return the shared server, or this process's own."""
    given = _given(config)
    if _TEMPORAL not in given:
        return temporal_server(log)
    return nullcontext(TemporalServer(given[_TEMPORAL], user=given["workerid"]))


def _given(config: pytest.Config) -> dict[str, str]:
    """Return the input from the controller, or an empty mapping without a controller."""
    given: dict[str, str] = getattr(config, "workerinput", {})
    return given
