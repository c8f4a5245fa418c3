"""How the Temporal library runs in our processes: where its log lines and numbers go, and how it
runs workflows."""

import logging
import socket
from typing import Final

from temporalio.runtime import (
    LogForwardingConfig,
    LoggingConfig,
    PrometheusConfig,
    Runtime,
    TelemetryConfig,
    TelemetryFilter,
)
from temporalio.worker import UnsandboxedWorkflowRunner, WorkflowRunner
from temporalio.worker.workflow_sandbox import SandboxedWorkflowRunner, SandboxRestrictions

# Pure packages and what they import: loading them anew for every run is most of the sandbox's cost.
_PASSED_THROUGH: Final = (
    "domain",
    "activities",
    "workflows.options",
    "workflows.failure",
    "workflows.deliveries",
)


def set_up(*, numbers: bool) -> str | None:
    """Once a process, before its first client: hand the library's lines to Python's logging.

    `numbers`: have it count, too. It shows them on a port of loopback, and this returns where: it
    adds them up itself, which costs less than to be told each one.
    """
    logs = LoggingConfig(
        filter=TelemetryFilter(core_level="WARN", other_level="ERROR"),
        forwarding=LogForwardingConfig(logger=logging.getLogger("temporalio.core")),
    )
    if not numbers:
        Runtime.set_default(Runtime(telemetry=TelemetryConfig(logging=logs)))
        return None
    address, runtime = _counting(logs)
    Runtime.set_default(runtime)
    return f"http://{address}/metrics"


def _counting(logs: LoggingConfig, tries: int = 5) -> tuple[str, Runtime]:
    """A runtime that shows its numbers, and where. Raises ValueError if it finds no port."""
    address = f"127.0.0.1:{_free_port()}"
    shown = PrometheusConfig(
        address, counters_total_suffix=True, unit_suffix=True, durations_as_seconds=True
    )
    try:
        return address, Runtime(telemetry=TelemetryConfig(logging=logs, metrics=shown))
    except ValueError:  # somebody else has taken the port meanwhile
        if tries == 1:
            raise
        return _counting(logs, tries - 1)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def workflow_runner(*, sandbox: bool) -> WorkflowRunner:
    """`sandbox`: Temporal's check that workflows stay deterministic."""
    if not sandbox:
        return UnsandboxedWorkflowRunner()
    restrictions = SandboxRestrictions.default.with_passthrough_modules(*_PASSED_THROUGH)
    return SandboxedWorkflowRunner(restrictions=restrictions)
