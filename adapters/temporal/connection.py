"""The connection to Temporal, with or without TLS. Depending on the settings, it authenticates with
an API key, with a certificate, or not at all."""

import asyncio
from contextlib import suppress
from typing import Final

from temporalio.api.workflowservice.v1 import DescribeNamespaceRequest
from temporalio.client import Client, TLSConfig
from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.service import GrpcCompression, RetryConfig, RPCError, RPCStatusCode

from adapters.temporal.diagnosis import why_not
from domain.core.errors import EngineUnavailable, InvalidInput
from settings.temporal import TemporalSettings

# The client must stop retrying before 5 s have passed because callers must detect by then that
# Temporal is down.
_GIVE_UP: Final = RetryConfig(max_elapsed_time_millis=2_500)
# Without this timeout, the client would wait forever for a server that accepts connections but
# sends nothing.
_CONNECT_TIMEOUT_S: Final = 5.0
_REFUSALS: Final = (RPCStatusCode.UNAUTHENTICATED, RPCStatusCode.PERMISSION_DENIED)


async def connect(temporal: TemporalSettings, *, lazy: bool = False) -> Client:
    """Return a Temporal client with the data converter that all processes share.

    If `lazy` is true, the client connects on its first call, so that a process can start while
    Temporal is down. Otherwise, raises within seconds: EngineUnavailable, or InvalidInput for
    rejected credentials, in one sentence.
    """
    if lazy:
        return await _client(temporal, lazy=True)
    try:
        async with asyncio.timeout(_CONNECT_TIMEOUT_S):
            client = await _client(temporal, lazy=False)
            await client.workflow_service.describe_namespace(
                DescribeNamespaceRequest(namespace=temporal.namespace)
            )
    except RPCError as error:
        if error.status in _REFUSALS:
            raise InvalidInput(
                f"Temporal at {temporal.address} refuses us the namespace {temporal.namespace}: "
                f"{error.message}"
            ) from error
        if error.status is RPCStatusCode.NOT_FOUND:
            raise EngineUnavailable(
                f"Temporal at {temporal.address} has no namespace {temporal.namespace}"
            ) from error
        raise EngineUnavailable(f"no Temporal answers at {temporal.address}") from error
    except (RuntimeError, TimeoutError) as error:
        # The library raises the same error for a rejected key and for a server that is down.
        # `why_not` finds the cause.
        reason, reached = await why_not(temporal)
        if reached and temporal.is_encrypted and not isinstance(error, TimeoutError):
            raise InvalidInput(
                f"Temporal at {temporal.address} refuses us; is TEMPORAL_API_KEY right? ({error})"
            ) from error
        raise EngineUnavailable(f"no Temporal answers at {temporal.address}: {reason}") from error
    return client


async def check_credentials(temporal: TemporalSettings) -> None:
    """Raise InvalidInput if Temporal rejects our credentials. Do nothing if Temporal is down,
    because the process can start and Temporal may recover."""
    with suppress(EngineUnavailable):
        await connect(temporal)


async def _client(temporal: TemporalSettings, *, lazy: bool) -> Client:
    return await Client.connect(
        temporal.address,
        namespace=temporal.namespace,
        data_converter=pydantic_data_converter,
        lazy=lazy,
        retry_config=_GIVE_UP,
        # Payloads contain only ids. Compressing them would cost more than it saves.
        grpc_compression=GrpcCompression.NONE,
        tls=_tls(temporal),
        api_key=temporal.api_key.get_secret_value() if temporal.api_key else None,
    )


def _tls(temporal: TemporalSettings) -> TLSConfig | bool:
    """Return the TLS settings, or False if encryption is disabled. New certificate files take
    effect only after the process restarts because the files are read once."""
    if not temporal.is_encrypted:
        return False
    authority, certificate = temporal.tls_server_ca_cert_path, temporal.tls_client_cert_path
    key = temporal.tls_client_key_path
    return TLSConfig(
        server_root_ca_cert=authority.read_bytes() if authority else None,
        domain=temporal.tls_server_name,
        client_cert=certificate.read_bytes() if certificate else None,
        client_private_key=key.read_bytes() if key else None,
    )
