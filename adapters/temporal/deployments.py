"""Worker Deployments: builds of the workers side by side, and the one that gets the work."""

import asyncio
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from temporalio.api.enums.v1 import RoutingConfigUpdateState, WorkerDeploymentVersionStatus
from temporalio.api.workflowservice.v1 import (
    DescribeWorkerDeploymentRequest,
    DescribeWorkerDeploymentResponse,
    SetWorkerDeploymentCurrentVersionRequest,
)
from temporalio.client import Client
from temporalio.common import VersioningBehavior, WorkerDeploymentVersion
from temporalio.service import RPCError, RPCStatusCode
from temporalio.worker import WorkerDeploymentConfig

from adapters.temporal.health import Work, pollers
from domain.core import names
from domain.core.errors import InvalidInput
from domain.core.ports import Clock
from settings.service import TemporalSettings

QUEUES: Final = (names.ENGINE_QUEUE, names.WEBHOOKS_QUEUE)
_ASK_AGAIN_S: Final = 0.5
_ANSWERS_WITHIN: Final = timedelta(seconds=10)
_STATUS_PREFIX: Final = "WORKER_DEPLOYMENT_VERSION_STATUS_"


@dataclass(frozen=True, slots=True)
class Build:
    """`status`: Temporal's word, as in `current`, `inactive`, `draining` and `drained`."""

    build_id: str
    status: str


def deployment_config(temporal: TemporalSettings) -> WorkerDeploymentConfig | None:
    """The build that a worker is; None if the installation does not use deployments.

    Runs move to the current build with their next task. Pinned ones would need their old workers
    for as long as a review may wait: 72 hours.
    """
    if temporal.version is None:
        return None
    return WorkerDeploymentConfig(
        version=WorkerDeploymentVersion(*temporal.version),
        use_worker_versioning=True,
        default_versioning_behavior=VersioningBehavior.AUTO_UPGRADE,
    )


async def promote(
    client: Client, build: WorkerDeploymentVersion, now: Clock, *, patience_s: float
) -> str:
    """Make it the build that gets all work, once its workers ask for all of it. Returns the build
    before it, or "". Raises InvalidInput if they do not in time, RPCError."""
    missing = "anything"
    try:
        async with asyncio.timeout(patience_s):
            while True:
                missing = await _missing(client, build, now)
                if not missing:
                    break
                await asyncio.sleep(_ASK_AGAIN_S)
    except TimeoutError:
        raise InvalidInput(
            f"build {build.build_id}: after {patience_s:g} s no worker asks for {missing}"
        ) from None
    changed = await client.workflow_service.set_worker_deployment_current_version(
        SetWorkerDeploymentCurrentVersionRequest(
            namespace=client.namespace,
            deployment_name=build.deployment_name,
            build_id=build.build_id,
            identity=client.identity,
        ),
        timeout=_ANSWERS_WITHIN,
    )
    while True:
        if await _is_known_everywhere(client, build):
            return changed.previous_deployment_version.build_id
        await asyncio.sleep(_ASK_AGAIN_S)


async def builds(client: Client, deployment: str) -> list[Build]:
    """Those that Temporal knows. Raises InvalidInput if it knows no such deployment, RPCError."""
    info = (await _describe(client, deployment)).worker_deployment_info
    return [
        Build(
            summary.deployment_version.build_id,
            WorkerDeploymentVersionStatus.Name(summary.status).removeprefix(_STATUS_PREFIX).lower(),
        )
        for summary in info.version_summaries
    ]


async def _missing(client: Client, build: WorkerDeploymentVersion, now: Clock) -> str:
    """The first kind of work that no worker of the build asks for; "" if they ask for all."""
    for queue in QUEUES:
        for work in Work:
            asking = await pollers(client, work, now(), queue=queue)
            if not any(poller.version == build for poller in asking):
                return f"{work.name.lower()} of the queue {queue}"
    return ""


async def _is_known_everywhere(client: Client, build: WorkerDeploymentVersion) -> bool:
    """Whether every part of the server routes by it: until then, old workers get work too."""
    info = (await _describe(client, build.deployment_name)).worker_deployment_info
    pending = RoutingConfigUpdateState.ROUTING_CONFIG_UPDATE_STATE_IN_PROGRESS
    return info.routing_config_update_state != pending


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
