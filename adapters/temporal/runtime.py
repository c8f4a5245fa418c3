"""Set up the Temporal library in our processes: logs, metrics and the workflow runner."""

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

# Packages that the sandbox does not reload, including their imports. They have no side effects, and
# reloading them for every run would account for most of the sandbox's cost.
_PASSED_THROUGH: Final = (
    "domain",
    "activities",
    "workflows.options",
    "workflows.failure",
    "workflows.deliveries",
)


def set_up(*, numbers: bool) -> str | None:
    """Forward the Temporal library's log lines to Python's logging, before the process creates its
    first client.

    If `numbers` is true, also collect the library's metrics on a loopback port, and return its URL.
    Otherwise return None.
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
    """Return the URL of the metrics, and the runtime that serves them there. Raises ValueError if
    no port is free."""
    address = f"127.0.0.1:{_free_port()}"
    shown = PrometheusConfig(
        address, counters_total_suffix=True, unit_suffix=True, durations_as_seconds=True
    )
    try:
        return address, Runtime(telemetry=TelemetryConfig(logging=logs, metrics=shown))
    except ValueError:  # Another process has since taken the port.
        if tries == 1:
            raise
        return _counting(logs, tries - 1)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def workflow_runner(*, sandbox: bool) -> WorkflowRunner:
    """Return the workflow runner. `sandbox`: use Temporal's sandbox, which checks that workflows
    are deterministic."""
    if not sandbox:
        return UnsandboxedWorkflowRunner()
    restrictions = SandboxRestrictions.default.with_passthrough_modules(*_PASSED_THROUGH)
    return SandboxedWorkflowRunner(restrictions=restrictions)
