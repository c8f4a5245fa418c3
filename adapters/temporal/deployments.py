"""Worker Deployments: several worker builds run at the same time, and the current build receives
the tasks."""

import asyncio
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

import structlog
from temporalio.api.enums.v1 import WorkerDeploymentVersionStatus
from temporalio.api.workflowservice.v1 import (
    DescribeWorkerDeploymentRequest,
    DescribeWorkerDeploymentResponse,
    SetWorkerDeploymentCurrentVersionRequest,
)
from temporalio.client import Client
from temporalio.common import VersioningBehavior, WorkerDeploymentVersion
from temporalio.service import RPCError, RPCStatusCode
from temporalio.worker import WorkerDeploymentConfig

from adapters.temporal.health import Work, current, pollers
from domain.core import names
from domain.core.errors import InvalidInput
from domain.core.ports import Clock
from settings.temporal import TemporalSettings

QUEUES: Final = (names.ENGINE_QUEUE, names.WEBHOOKS_QUEUE)
_LOOK_S: Final = 1.0
# Temporal errors that are retried. Temporal registers a build's queues one by one, and rate-limits
# requests about a deployment.
_NOT_YET: Final = (RPCStatusCode.FAILED_PRECONDITION, RPCStatusCode.RESOURCE_EXHAUSTED)
_ANSWERS_WITHIN: Final = timedelta(seconds=10)
_STATUS_PREFIX: Final = "WORKER_DEPLOYMENT_VERSION_STATUS_"

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Build:
    """A worker build. `status`: Temporal's term, such as `current`, `inactive`, `draining` or
    `drained`."""

    build_id: str
    status: str


def deployment_config(temporal: TemporalSettings) -> WorkerDeploymentConfig | None:
    """Return the deployment settings for a worker's build, or None without deployments.

    Runs move to the current build with their next task. Pinned runs would need the old workers
    until all reviews end, up to 72 hours.
    """
    if temporal.version is None:
        return None
    return WorkerDeploymentConfig(
        version=WorkerDeploymentVersion(*temporal.version),
        use_worker_versioning=True,
        default_versioning_behavior=VersioningBehavior.AUTO_UPGRADE,
    )


async def tell_if_passed_over(client: Client, temporal: TemporalSettings, *, queue: str) -> None:
    """Log a warning if this worker's build is not the current one. Such a worker receives no
    tasks."""
    try:
        getting = await current(client, Work.WORKFLOWS, queue=queue)
    except (
        RPCError,
        RuntimeError,
    ):  # Temporal is reachable, and responds to this worker now or soon.
        return
    mine = WorkerDeploymentVersion(*temporal.version) if temporal.version else None
    if getting != mine:
        _log.warning(
            "this worker's build is not current: it receives no work",
            queue=queue,
            build_id=mine.build_id if mine else None,
            current=getting.build_id if getting else None,
            fixed_by="cli.py deployment promote" if mine else "TEMPORAL_DEPLOYMENT",
        )


async def promote(
    client: Client, build: WorkerDeploymentVersion, now: Clock, *, patience_s: float
) -> str:
    """Wait until the workers of a build poll all queues, then make that build the current one.

    Return the id of the previous build, or "". Raises RPCError, and InvalidInput after `patience_s`
    seconds.
    """
    before = await current(client, Work.WORKFLOWS, queue=names.ENGINE_QUEUE)
    blocking_condition = "Temporal does not answer"
    try:
        async with asyncio.timeout(patience_s):
            while True:
                blocking_condition = await _obstacle(client, build, now)
                if not blocking_condition:
                    return before.build_id if before else ""
                await asyncio.sleep(_LOOK_S)
    except TimeoutError:
        raise InvalidInput(f"{blocking_condition}; waited {patience_s:g} s") from None


async def _obstacle(client: Client, build: WorkerDeploymentVersion, now: Clock) -> str:
    """Try to make the build current. Return the reason why this is not possible yet, or "" once
    every queue uses the build."""
    known = set()
    for queue in QUEUES:
        for work in Work:
            asking = await pollers(client, work, now(), queue=queue)
            if not any(poller.version == build for poller in asking):
                return f"no worker of {build.build_id} asks for {work.name.lower()} of {queue}"
            known.add(await current(client, work, queue=queue))
    if known == {build}:
        return ""
    try:
        await _make_current(client, build)
    except RPCError as error:
        if error.status not in _NOT_YET:
            raise
        return error.message
    return "Temporal has not updated all queues"


async def _make_current(client: Client, build: WorkerDeploymentVersion) -> None:
    """Make the build current, unless it already is."""
    await client.workflow_service.set_worker_deployment_current_version(
        SetWorkerDeploymentCurrentVersionRequest(
            namespace=client.namespace,
            deployment_name=build.deployment_name,
            build_id=build.build_id,
            identity=client.identity,
        ),
        timeout=_ANSWERS_WITHIN,
    )


async def builds(client: Client, deployment: str) -> list[Build]:
    """Return the deployment's builds that are known to Temporal. Raises RPCError, and InvalidInput
    for an unknown deployment."""
    info = (await _describe(client, deployment)).worker_deployment_info
    return [
        Build(
            summary.deployment_version.build_id,
            WorkerDeploymentVersionStatus.Name(summary.status).removeprefix(_STATUS_PREFIX).lower(),
        )
        for summary in info.version_summaries
    ]


async def _describe(client: Client, deployment: str) -> DescribeWorkerDeploymentResponse:
    try:
        return await client.workflow_service.describe_worker_deployment(
            DescribeWorkerDeploymentRequest(namespace=client.namespace, deployment_name=deployment),
            timeout=_ANSWERS_WITHIN,
        )
    except RPCError as error:
        if error.status is RPCStatusCode.NOT_FOUND:
            raise InvalidInput(f"no worker has ever been of the deployment {deployment}") from None
        raise
