"""A real Temporal development server for the session, and a namespace of its own for each test."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from temporalio.client import Client

from adapters.temporal import connect
from embedded.ports import free_port
from embedded.process import Child
from embedded.temporal_server import temporal_command
from tests.support.waiting import eventually

_NAMESPACES = 400


class TemporalServer:
    def __init__(self, address: str) -> None:
        self.address = address
        self._namespaces = [f"test-{number}" for number in range(_NAMESPACES)]

    def take_namespace(self) -> str:
        """A namespace no other test uses; they are made when the server starts, which is quick."""
        return self._namespaces.pop()


@contextmanager
def temporal_server(log: Path, *, database: Path | None = None) -> Iterator[TemporalServer]:
    port = free_port()
    command = temporal_command(database=database, port=port, ui_port=None)
    for number in range(_NAMESPACES):
        command += ["--namespace", f"test-{number}"]
    child = Child("temporal", command, log=log)
    try:
        wait_for_temporal(f"127.0.0.1:{port}")
        yield TemporalServer(f"127.0.0.1:{port}")
    finally:
        child.terminate()
        child.wait(5)


def wait_for_temporal(address: str) -> None:
    """Return when the server answers."""

    async def wait() -> None:
        await eventually(lambda: temporal_answers(address))

    asyncio.run(wait())


async def temporal_answers(address: str) -> bool:
    try:
        client: Client = await connect(address, "default")
        return await client.service_client.check_health()
    except RuntimeError:  # what the SDK raises while nobody listens
        return False
