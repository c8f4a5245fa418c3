"""The backlogs of Temporal's task queues and schedules, for the operators of the installation."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from temporalio.api.taskqueue.v1 import TaskQueue
from temporalio.api.workflowservice.v1 import DescribeTaskQueueRequest
from temporalio.client import Client

from adapters.temporal.health import Work

_ANSWERS_WITHIN: Final = timedelta(seconds=2)
_FAILED: Final = "('Failed', 'TimedOut', 'Terminated')"


@dataclass(frozen=True, slots=True)
class QueueBacklog:
    """The backlog of a task queue: Temporal's estimate of the tasks that no worker has picked up,
    and the age of the oldest."""

    tasks: int
    age: timedelta


async def queue_backlog(client: Client, work: Work, *, queue: str) -> QueueBacklog:
    """Return the backlog of a queue for one kind of task. Raises RPCError, or RuntimeError if the
    client has never connected."""
    described = await client.workflow_service.describe_task_queue(
        DescribeTaskQueueRequest(
            namespace=client.namespace,
            task_queue=TaskQueue(name=queue),
            task_queue_type=work.value,
            report_stats=True,
        ),
        timeout=_ANSWERS_WITHIN,
    )
    stats = described.stats
    return QueueBacklog(
        stats.approximate_backlog_count, stats.approximate_backlog_age.ToTimedelta()
    )


async def failed_schedules(client: Client, since: datetime) -> int:
    """Return the number of scheduled workflows that have failed, timed out or been terminated since
    the time `since`. Raises RPCError, or RuntimeError if the client has never connected."""
    counted = await client.count_workflows(
        f"TemporalScheduledById IS NOT NULL AND ExecutionStatus IN {_FAILED} "
        f"AND CloseTime >= '{since.isoformat()}'",
        rpc_timeout=_ANSWERS_WITHIN,
    )
    return counted.count
