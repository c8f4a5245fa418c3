"""How the Temporal library runs in our processes: where its log lines go, and how it runs
workflows."""

import logging
from typing import Final

from temporalio.runtime import (
    LogForwardingConfig,
    LoggingConfig,
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


def forward_logs() -> None:
    """Once a process, before its first client: hand the library's lines to Python's logging."""
    Runtime.set_default(
        Runtime(
            telemetry=TelemetryConfig(
                logging=LoggingConfig(
                    filter=TelemetryFilter(core_level="WARN", other_level="ERROR"),
                    forwarding=LogForwardingConfig(logger=logging.getLogger("temporalio.core")),
                )
            )
        )
    )


def workflow_runner(*, sandbox: bool) -> WorkflowRunner:
    """`sandbox`: Temporal's check that workflows stay deterministic."""
    if not sandbox:
        return UnsandboxedWorkflowRunner()
    restrictions = SandboxRestrictions.default.with_passthrough_modules(*_PASSED_THROUGH)
    return SandboxedWorkflowRunner(restrictions=restrictions)
