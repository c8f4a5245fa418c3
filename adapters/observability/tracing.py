"""Traces: on where there is somebody to take them, and else not even loaded."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

import temporalio.client
from temporalio.client import Client

from domain.core.errors import InvalidInput
from settings.service import WatchSettings


class RequestSpan(Protocol):
    """To be told at its end how it went."""

    def ended(self, method: str, route: str, status: int, known: dict[str, str]) -> None: ...


class Traces(Protocol):
    @property
    def interceptor(self) -> temporalio.client.Interceptor: ...

    def request(self) -> AbstractContextManager[RequestSpan]:
        """A span around what the block does: what it starts in Temporal belongs to it."""


@contextmanager
def traces_of(watch: WatchSettings, process: str) -> Iterator[Traces | None]:
    """Send the traces of this process, for as long as the block runs; None: nobody wants them.

    Raises InvalidInput if they are wanted and OpenTelemetry is not installed.
    """
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
    """The client, with what it starts in the trace; workers of it are traced as well."""
    if traces is None:
        return client
    config = client.config()
    config["interceptors"] = [*config["interceptors"], traces.interceptor]
    return Client(**config)
