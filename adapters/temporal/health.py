"""Temporal's health, and the workers that poll a queue."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import Enum
from typing import Final

from temporalio.api.deployment.v1 import WorkerDeploymentOptions
from temporalio.api.enums.v1 import TaskQueueType, WorkerVersioningMode
from temporalio.api.taskqueue.v1 import TaskQueue
from temporalio.api.workflowservice.v1 import DescribeTaskQueueRequest, DescribeTaskQueueResponse
from temporalio.client import Client
from temporalio.common import WorkerDeploymentVersion
from temporalio.service import RPCError

from domain.core import names

# A running worker polls at least every 60 s, but Temporal lists a worker for five minutes after its
# last poll. If the last poll is older than this limit, the worker has stopped.
_ASKED_WITHIN: Final = timedelta(seconds=75)
# Without this timeout, the client would wait and retry for a minute.
_ANSWERS_WITHIN: Final = timedelta(seconds=2)


class Work(Enum):
    """The two kinds of tasks that a worker polls for."""

    WORKFLOWS = TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW
    ACTIVITIES = TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY


async def temporal_answers(client: Client) -> bool:
    """Return whether the Temporal server is serving requests."""
    try:
        return await client.service_client.check_health(timeout=_ANSWERS_WITHIN)
    # The server is not listening, or is not ready to serve requests.
    except (RuntimeError, RPCError):
        return False


@dataclass(frozen=True, slots=True)
class Poller:
    """A worker that polls a queue for tasks. `version`: its build, or None if it does not belong to
    a deployment."""

    identity: str
    version: WorkerDeploymentVersion | None


async def pollers(client: Client, work: Work, now: datetime, *, queue: str) -> list[Poller]:
    """Return all workers that poll the queue for this kind of task, even if the server sends them
    no tasks. Raises RPCError, or RuntimeError if the client has never connected."""
    return _asking(await _describe(client, work, queue), now)


async def current(client: Client, work: Work, *, queue: str) -> WorkerDeploymentVersion | None:
    """Return the build that receives this kind of task, or None if workers without a build receive
    it. Raises RPCError, or RuntimeError if the client has never connected."""
    return _current(await _describe(client, work, queue))


async def workers(
    client: Client, work: Work, now: datetime, *, queue: str = names.ENGINE_QUEUE
) -> list[str]:
    """Return the identities of the workers that receive this kind of task. If there is a current
    build, only its workers do. Raises RPCError, or RuntimeError if the client has never
    connected."""
    described = await _describe(client, work, queue)
    getting = _current(described)
    return [poller.identity for poller in _asking(described, now) if poller.version == getting]


async def _describe(client: Client, work: Work, queue: str) -> DescribeTaskQueueResponse:
    return await client.workflow_service.describe_task_queue(
        DescribeTaskQueueRequest(
            namespace=client.namespace, task_queue=TaskQueue(name=queue), task_queue_type=work.value
        ),
        timeout=_ANSWERS_WITHIN,
    )


def _asking(described: DescribeTaskQueueResponse, now: datetime) -> list[Poller]:
    return [
        Poller(poller.identity, _version_of(poller.deployment_options))
        for poller in described.pollers
        if poller.last_access_time.ToDatetime(UTC) > now - _ASKED_WITHIN
    ]


def _version_of(options: WorkerDeploymentOptions) -> WorkerDeploymentVersion | None:
    if options.worker_versioning_mode != WorkerVersioningMode.WORKER_VERSIONING_MODE_VERSIONED:
        return None
    return WorkerDeploymentVersion(options.deployment_name, options.build_id)


def _current(described: DescribeTaskQueueResponse) -> WorkerDeploymentVersion | None:
    version = described.versioning_info.current_deployment_version
    if not version.build_id:
        return None
    return WorkerDeploymentVersion(version.deployment_name, version.build_id)
