"""Tracing with OpenTelemetry. Its libraries are loaded only if a collector is configured."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

import temporalio.client
from temporalio.client import Client

from domain.core.errors import InvalidInput
from settings.service import WatchSettings


class RequestSpan(Protocol):
    """The span of a request. Call `ended` with the outcome of the request."""

    def ended(self, method: str, route: str, status: int, known: dict[str, str]) -> None: ...


class Traces(Protocol):
    @property
    def interceptor(self) -> temporalio.client.Interceptor: ...

    def request(self) -> AbstractContextManager[RequestSpan]:
        """Return a context manager that runs its block in a span. Temporal workflows that the block
        starts belong to the span."""


@contextmanager
def traces_of(watch: WatchSettings, process: str) -> Iterator[Traces | None]:
    """Send this process's traces while the block runs. Yields None without a collector. Raises
    InvalidInput for a collector without OpenTelemetry."""
    if watch.otlp_endpoint is None:
        yield None
        return
    try:
        from adapters.observability.open_telemetry import sending  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise InvalidInput(
            "OTEL_EXPORTER_OTLP_ENDPOINT is set and OpenTelemetry is not installed: "
            "pip install --require-hashes -r requirements/otel.txt"
        ) from error
    with sending(watch.otlp_endpoint, process) as traces:
        yield traces


def traced(client: Client, traces: Traces | None) -> Client:
    """Return the client with tracing enabled. Workers that use this client are traced too."""
    if traces is None:
        return client
    config = client.config()
    config["interceptors"] = [*config["interceptors"], traces.interceptor]
    return Client(**config)
