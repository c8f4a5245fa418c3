"""Whether Temporal answers, and who works on a queue."""

from datetime import UTC, datetime, timedelta
from enum import Enum
from typing import Final

from temporalio.api.enums.v1 import TaskQueueType
from temporalio.api.taskqueue.v1 import TaskQueue
from temporalio.api.workflowservice.v1 import DescribeTaskQueueRequest
from temporalio.client import Client
from temporalio.service import RPCError

from domain.core import names

# A worker asks again after 60 s at the latest; Temporal lists it for five minutes after its end.
_ASKED_WITHIN: Final = timedelta(seconds=75)
# Without it the client waits, and asks again, for a minute.
_ANSWERS_WITHIN: Final = timedelta(seconds=2)


class Work(Enum):
    """The two kinds of tasks a worker asks for."""

    WORKFLOWS = TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW
    ACTIVITIES = TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY


async def temporal_answers(client: Client) -> bool:
    """Whether the server serves."""
    try:
        return await client.service_client.check_health(timeout=_ANSWERS_WITHIN)
    except (RuntimeError, RPCError):  # nobody listens, or not ready to serve
        return False


async def workers(
    client: Client, work: Work, now: datetime, *, queue: str = names.ENGINE_QUEUE
) -> list[str]:
    """Identities of the workers that ask for this work. Raises RPCError, RuntimeError."""
    described = await client.workflow_service.describe_task_queue(
        DescribeTaskQueueRequest(
            namespace=client.namespace, task_queue=TaskQueue(name=queue), task_queue_type=work.value
        ),
        timeout=_ANSWERS_WITHIN,
    )
    return [
        poller.identity
        for poller in described.pollers
        if poller.last_access_time.ToDatetime(UTC) > now - _ASKED_WITHIN
    ]
