"""A real Temporal development server for a test run, and a namespace for each test that needs
one."""

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from google.protobuf.duration_pb2 import Duration
from temporalio.api.workflowservice.v1 import RegisterNamespaceRequest
from temporalio.client import Client
from temporalio.service import RPCError, RPCStatusCode

from adapters.temporal.connection import connect
from adapters.temporal.setup import ensure_search_attributes
from domain.core.errors import EngineUnavailable
from embedded.ports import free_port
from embedded.process import Child
from embedded.temporal_server import temporal_command
from settings import load_temporal
from settings.temporal import TemporalSettings
from tests.support.core.waiting import eventually

# A run is deleted once the server has recorded its end, which it does every 30 seconds by default.
_SWIFT: Final = [
    f'--dynamic-config-value=history.{queue}ProcessorUpdateAckInterval="200ms"'
    for queue in ("transfer", "visibility")
]
_DAY: Final = Duration(seconds=86_400)


def temporal_at(address: str, namespace: str = "default") -> TemporalSettings:
    return load_temporal({"TEMPORAL_ADDRESS": address, "TEMPORAL_NAMESPACE": namespace})


class TemporalServer:
    """A Temporal server. `user` distinguishes test processes that share it. `namespaces` counts
    those created by this process."""

    def __init__(self, address: str, *, user: str = "main") -> None:
        self.address = address
        self.namespaces = 0
        self._user = user

    def take_namespace(self) -> str:
        """Create an unused namespace, and return its name.

        Namespaces are created on demand, because each namespace costs the server CPU time.
        """
        name = f"test-{self._user}-{self.namespaces}"
        self.namespaces += 1
        # Use a thread, because the caller may be in an event loop.
        with ThreadPoolExecutor(1) as thread:
            thread.submit(asyncio.run, self._make(name)).result()
        return name

    async def _make(self, name: str) -> None:
        await (await connect(temporal_at(self.address))).workflow_service.register_namespace(
            RegisterNamespaceRequest(namespace=name, workflow_execution_retention_period=_DAY)
        )
        client = await connect(temporal_at(self.address, name))

        async def known() -> bool:
            try:
                await ensure_search_attributes(client)
                await client.count_workflows()
            except RPCError as error:
                if error.status is not RPCStatusCode.NOT_FOUND:
                    raise
                return False
            return True

        await eventually(known)


@contextmanager
def temporal_server(log: Path, *, database: Path | None = None) -> Iterator[TemporalServer]:
    port = free_port()
    command = temporal_command(database=database, port=port, ui_port=None)
    child = Child("temporal", [*command, *_SWIFT], log=log)
    try:
        wait_for_temporal(f"127.0.0.1:{port}")
        yield TemporalServer(f"127.0.0.1:{port}")
    finally:
        child.terminate()
        child.wait(5)


def wait_for_temporal(address: str) -> None:
    async def wait() -> None:
        await eventually(lambda: temporal_answers(address))

    asyncio.run(wait())


async def temporal_answers(address: str) -> bool:
    try:
        client: Client = await connect(temporal_at(address))
        return await client.service_client.check_health()
    except EngineUnavailable:  # the server is not listening yet
        return False
