"""Production Temporal: TLS, with a certificate or an API key, on a server that requires them."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from google.protobuf.duration_pb2 import Duration
from structlog.testing import capture_logs
from temporalio import workflow
from temporalio.api.workflowservice.v1 import RegisterNamespaceRequest
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from adapters.system import new_ulid
from adapters.temporal import connection, diagnosis
from adapters.temporal.connection import check_credentials, connect
from adapters.temporal.setup import ensure_search_attributes
from domain.core.errors import EngineUnavailable, InvalidInput
from settings import load_temporal
from settings.temporal import TemporalSettings
from tests.support.core.temporal import TemporalServer, temporal_at
from tests.support.servers.secured_temporal import secured_temporal
from tests.support.servers.tls import CertificateAuthority, certificate_authority


@workflow.defn
class Hello:
    @workflow.run
    async def run(self, name: str) -> str:
        return f"hello {name}"


@dataclass(frozen=True, slots=True)
class Files:
    """`other`: the certificate of an unrelated authority."""

    authority: CertificateAuthority
    other: Path
    key: Path
    certificate: Path

    @property
    def trusted(self) -> dict[str, str]:
        return {"TEMPORAL_TLS_SERVER_CA_CERT_PATH": str(self.authority.file)}

    @property
    def ours(self) -> dict[str, str]:
        return {
            "TEMPORAL_TLS_CLIENT_CERT_PATH": str(self.certificate),
            "TEMPORAL_TLS_CLIENT_KEY_PATH": str(self.key),
        }


@pytest.fixture(scope="module")
def files() -> Iterator[Files]:
    with certificate_authority() as authority, certificate_authority() as other:
        yield Files(authority, other.file, *authority.key_and_certificate())


def settings_at(address: str, *more: dict[str, str]) -> TemporalSettings:
    variables = {"TEMPORAL_ADDRESS": address}
    for some in more:
        variables |= some
    return load_temporal(variables)


async def runs_a_workflow(settings: TemporalSettings) -> bool:
    """Return whether a worker and a caller can run a workflow with these settings."""
    client, queue = await connect(settings), new_ulid()
    async with Worker(
        client, task_queue=queue, workflows=[Hello], workflow_runner=UnsandboxedWorkflowRunner()
    ):
        lazy = await connect(settings, lazy=True)
        return await lazy.execute_workflow(Hello.run, "you", id=queue, task_queue=queue) == (
            "hello you"
        )


@asynccontextmanager
async def silent_server() -> AsyncIterator[str]:
    """A server that accepts connections and never responds."""
    held: list[asyncio.StreamWriter] = []
    server = await asyncio.start_server(lambda _, writer: held.append(writer), "127.0.0.1", 0)
    try:
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        for writer in held:
            writer.transport.abort()
        server.close()


async def test_by_tls(temporal: TemporalServer, files: Files) -> None:
    with secured_temporal(temporal.address, files.authority) as address:
        assert await runs_a_workflow(settings_at(address, files.trusted))
        named = {"TEMPORAL_TLS_SERVER_NAME": "hooks.shop.example"}
        assert await connect(settings_at(address, files.trusted, named))


async def test_with_a_certificate_of_our_own(temporal: TemporalServer, files: Files) -> None:
    with secured_temporal(temporal.address, files.authority, mutual=True) as address:
        assert await runs_a_workflow(settings_at(address, files.trusted, files.ours))

        with pytest.raises(EngineUnavailable, match="TEMPORAL_TLS_CLIENT_CERT_PATH"):
            await connect(settings_at(address, files.trusted))


async def test_with_an_api_key(temporal: TemporalServer, files: Files) -> None:
    """An API key enables TLS without another setting."""
    with secured_temporal(temporal.address, files.authority, api_key="key of ours") as address:
        key = {"TEMPORAL_API_KEY": "key of ours"}
        assert await runs_a_workflow(settings_at(address, files.trusted, key))

        for refused in ({}, {"TEMPORAL_API_KEY": "another"}):
            settings = settings_at(address, files.trusted, refused)
            with pytest.raises(InvalidInput, match="refuses us; is TEMPORAL_API_KEY right"):
                await connect(settings)
            with pytest.raises(InvalidInput, match="refuses us"):
                await check_credentials(settings)


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"TEMPORAL_TLS": "true"}, "its certificate is not believed: unable to get local issuer"),
        ({}, "it speaks TLS: set TEMPORAL_TLS"),
        ({"TEMPORAL_TLS_SERVER_NAME": "elsewhere.example"}, "Hostname mismatch"),
        ({"TEMPORAL_TLS_SERVER_CA_CERT_PATH": "other"}, "its certificate is not believed"),
    ],
)
async def test_what_is_wrong_with_the_connection_is_said(
    temporal: TemporalServer, files: Files, more: dict[str, str], told: str
) -> None:
    trusted = files.trusted if "TEMPORAL_TLS_SERVER_NAME" in more else {}
    if "TEMPORAL_TLS_SERVER_CA_CERT_PATH" in more:
        trusted, more = {"TEMPORAL_TLS_SERVER_CA_CERT_PATH": str(files.other)}, {}
    with secured_temporal(temporal.address, files.authority) as address:
        settings = settings_at(address, trusted, more)
        with pytest.raises(EngineUnavailable, match=told):
            await connect(settings)
        # The API starts nevertheless, because the server may become available.
        await check_credentials(settings)


async def test_tls_where_the_server_speaks_none(temporal: TemporalServer, files: Files) -> None:
    with pytest.raises(EngineUnavailable, match="does not speak TLS with us"):
        await connect(settings_at(temporal.address, files.trusted))


@pytest.mark.parametrize("tls", [False, True])
async def test_a_server_that_says_nothing_is_not_waited_for(
    files: Files, monkeypatch: pytest.MonkeyPatch, *, tls: bool
) -> None:
    monkeypatch.setattr(connection, "_CONNECT_TIMEOUT_S", 0.3)
    monkeypatch.setattr(diagnosis, "_TIMEOUT_S", 0.3)
    async with silent_server() as address:
        settings = settings_at(address, files.trusted if tls else {})
        async with asyncio.timeout(15):
            with pytest.raises(EngineUnavailable, match=f"no Temporal answers at {address}"):
                await connect(settings)


async def test_where_nobody_listens_or_the_namespace_is_missing(temporal: TemporalServer) -> None:
    with pytest.raises(EngineUnavailable, match=r"at 127.0.0.1:1: Connect call failed|refused"):
        await connect(temporal_at("127.0.0.1:1"))
    with pytest.raises(EngineUnavailable, match="has no namespace nowhere"):
        await connect(temporal_at(temporal.address, "nowhere"))


async def test_a_namespace_that_refuses_us(temporal: TemporalServer, files: Files) -> None:
    forbidden = ["DescribeNamespace"]
    with (
        secured_temporal(temporal.address, files.authority, forbidden=forbidden) as address,
        pytest.raises(InvalidInput, match="refuses us the namespace default"),
    ):
        await connect(settings_at(address, files.trusted))


async def test_search_attributes_that_only_an_administrator_makes(
    temporal: TemporalServer, files: Files
) -> None:
    """In Temporal Cloud, they are created in its console."""
    forbidden = ["AddSearchAttributes"]
    with secured_temporal(temporal.address, files.authority, forbidden=forbidden) as address:
        await ensure_search_attributes(await connect(settings_at(address, files.trusted)))
        bare = await connect(settings_at(address, files.trusted, await _bare_namespace(temporal)))
        with pytest.raises(InvalidInput, match="RunStatus, Classification"):
            await ensure_search_attributes(bare)

    forbidden = ["ListSearchAttributes"]
    with secured_temporal(temporal.address, files.authority, forbidden=forbidden) as address:
        with capture_logs() as logs:
            await ensure_search_attributes(await connect(settings_at(address, files.trusted)))
        assert [line["event"] for line in logs] == ["failed to check search attributes"]


async def _bare_namespace(temporal: TemporalServer) -> dict[str, str]:
    """Create a namespace without our search attributes."""
    name = f"bare-{new_ulid()}"
    client = await connect(temporal_at(temporal.address))
    await client.workflow_service.register_namespace(
        RegisterNamespaceRequest(
            namespace=name, workflow_execution_retention_period=Duration(seconds=86_400)
        )
    )
    return {"TEMPORAL_NAMESPACE": name}
