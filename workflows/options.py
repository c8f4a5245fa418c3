"""Timeouts and retry policies of all workflow steps. No other module sets a timeout.

The caller of the gateway waits at most 30 s (`DEADLINE_S` in `api/gateway_answers.py`). Each step
before the answer must end within that time, including all its attempts. If several steps use their
full time, the caller gets the response that the answer is delayed, and the run continues.
"""

from datetime import timedelta
from typing import Final

from temporalio.common import RetryPolicy, WorkflowIDReusePolicy
from temporalio.workflow import (
    ActivityConfig,
    ChildWorkflowConfig,
    LocalActivityConfig,
    ParentClosePolicy,
)

from domain.core.names import ENGINE_QUEUE, WEBHOOKS_QUEUE

# Eight attempts take 3.5 s, which is long enough for a database that restarts. The policy limits
# the number of attempts and not their total time. temporalio 1.35 mishandles a time limit of a
# local activity that expires between two attempts. With schedule-to-close, the activity is retried
# forever. With start-to-close, the timeout hides the real failure. The time limit of local
# activities is therefore far longer than all attempts.
_QUICK: Final = RetryPolicy(
    initial_interval=timedelta(milliseconds=50),
    maximum_interval=timedelta(seconds=1),
    backoff_coefficient=2,
    maximum_attempts=8,
)

# For short, idempotent steps in the worker's own process, without a round trip to the Temporal
# server.
INSIDE: Final[LocalActivityConfig] = {
    "start_to_close_timeout": timedelta(seconds=15),
    "retry_policy": _QUICK,
}

# For the lookup of an order. The shop has at most 4 s (`activities/agent/look_up.py`), because the
# answer must not wait longer.
LOOK_UP: Final[ActivityConfig] = {
    "start_to_close_timeout": timedelta(seconds=7),
    "schedule_to_close_timeout": timedelta(seconds=9),
    "retry_policy": _QUICK,
}

# For a step that waits for a model provider. The timeout is longer than the provider's own deadline
# (10 s) plus the deadline of the embedding for the knowledge search (3 s). The total time allows
# one more attempt if the worker dies.
REMOTE_BRAIN: Final[ActivityConfig] = {
    "start_to_close_timeout": timedelta(seconds=15),
    "schedule_to_close_timeout": timedelta(seconds=24),
    "retry_policy": _QUICK,
}

# For a simulation of up to 20 messages with the embedded brain, within the caller's 30 s
# (`services/simulation/simulator.py`).
SIMULATING: Final[LocalActivityConfig] = {
    "start_to_close_timeout": timedelta(seconds=30),
    "retry_policy": _QUICK,
}

# For a simulation of up to 20 messages, within the caller's 110 s. Each message may wait for a shop
# and a model provider. There is only one more attempt, if the worker dies, because each attempt
# costs money.
SIMULATING_OUTSIDE: Final[ActivityConfig] = {
    "start_to_close_timeout": timedelta(seconds=105),
    "schedule_to_close_timeout": timedelta(seconds=110),
    "heartbeat_timeout": timedelta(seconds=5),
    "retry_policy": RetryPolicy(initial_interval=timedelta(milliseconds=200), maximum_attempts=2),
}

# For actions in external systems. The external system may need 3 s for the order and 8 s for the
# action. If it did not respond, it has 8 s to report whether the action was done. The reply takes
# 16 s. The timeout exceeds the sum, so that the ledger has the outcome before Temporal gives up. A
# caller who cannot wait gets the response that the run continues. Heartbeats reveal a dead worker
# (`activities/runtime/heartbeat.py`).
OUTSIDE: Final[ActivityConfig] = {
    "start_to_close_timeout": timedelta(seconds=40),
    "schedule_to_close_timeout": timedelta(seconds=45),
    "heartbeat_timeout": timedelta(seconds=5),
    "retry_policy": RetryPolicy(
        initial_interval=timedelta(milliseconds=200), backoff_coefficient=3, maximum_attempts=4
    ),
}

# For actions in external systems once the caller has its answer. Servers that greylist or restart
# have more time.
OUTSIDE_PATIENT: Final[ActivityConfig] = {
    "start_to_close_timeout": timedelta(seconds=40),
    "heartbeat_timeout": timedelta(seconds=5),
    "schedule_to_close_timeout": timedelta(hours=1),
    "retry_policy": RetryPolicy(
        initial_interval=timedelta(seconds=1), maximum_interval=timedelta(minutes=5)
    ),
}

# For steps that store decisions and effects. They must succeed however long the database is
# unavailable, so they are retried until the run's lifetime ends.
PATIENT: Final[ActivityConfig] = {
    "start_to_close_timeout": timedelta(seconds=20),
    "retry_policy": RetryPolicy(
        initial_interval=timedelta(milliseconds=200), maximum_interval=timedelta(seconds=30)
    ),
}

# For one round of work on an inbound webhook. `workflows/process_webhook.py` counts the rounds.
WORKING: Final[ActivityConfig] = {
    "start_to_close_timeout": timedelta(seconds=30),
    "retry_policy": RetryPolicy(
        initial_interval=timedelta(milliseconds=500),
        maximum_interval=timedelta(seconds=30),
        maximum_attempts=6,
    ),
}

# For the workflow of an inbound webhook. The webhook's row states whether work is left, so a
# workflow that has ended may be started again.
WEBHOOK: Final[ChildWorkflowConfig] = {
    "task_queue": ENGINE_QUEUE,
    "parent_close_policy": ParentClosePolicy.ABANDON,
    "id_reuse_policy": WorkflowIDReusePolicy.ALLOW_DUPLICATE,
    "task_timeout": timedelta(seconds=5),
}

# For the run that an inbound webhook starts. `adapters/temporal/client.py` starts abandoned runs
# with the same options.
RUN: Final[ChildWorkflowConfig] = {
    "task_queue": ENGINE_QUEUE,
    "parent_close_policy": ParentClosePolicy.ABANDON,
    "id_reuse_policy": WorkflowIDReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY,
    "task_timeout": timedelta(seconds=5),
}

# For a run that is started again because the answer of a review did not cover the run's message.
# The run's first workflow has ended.
RUN_AGAIN: Final[ChildWorkflowConfig] = {
    **RUN,
    "id_reuse_policy": WorkflowIDReusePolicy.ALLOW_DUPLICATE,
}

# For the workflow of a webhook delivery. The workflow outlives the run that caused the delivery. It
# may be started again after a failure, but never after it has completed.
DELIVERY: Final[ChildWorkflowConfig] = {
    "task_queue": WEBHOOKS_QUEUE,
    "parent_close_policy": ParentClosePolicy.ABANDON,
    "id_reuse_policy": WorkflowIDReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY,
    "task_timeout": timedelta(seconds=5),
}

# For one attempt at a webhook delivery. The timeout covers the wait for a permit (45 s,
# `activities/webhooks/delivery_limiter.py`), the POST (10 s), and the storage of its result.
# Storing is retried while the database is unavailable. The number of retries has no limit. A
# receiver's failure is not a failure of this activity, and a failure of our own must not cause the
# loss of a delivery.
DELIVERING: Final[ActivityConfig] = {
    "start_to_close_timeout": timedelta(minutes=3),
    "heartbeat_timeout": timedelta(seconds=10),
    "retry_policy": RetryPolicy(
        initial_interval=timedelta(milliseconds=200), maximum_interval=timedelta(seconds=30)
    ),
}

# For a mail or notice to a person. No caller waits, and after some hours the mail is useless. A
# sign-in code is useless after ten minutes; the activity that mails the code checks its age. The
# workflow uses the engine's task queue, because only the engine's workers have the settings of the
# mail server.
TELLING: Final[ActivityConfig] = {
    "task_queue": ENGINE_QUEUE,
    "start_to_close_timeout": timedelta(seconds=20),
    "heartbeat_timeout": timedelta(seconds=10),
    "schedule_to_close_timeout": timedelta(hours=12),
    "retry_policy": RetryPolicy(
        initial_interval=timedelta(seconds=1), maximum_interval=timedelta(minutes=5)
    ),
}

# For the workflows that mail a late answer and send the notice of a review. They outlive the run.
AFTER_RUN: Final[ChildWorkflowConfig] = {
    "task_queue": ENGINE_QUEUE,
    "parent_close_policy": ParentClosePolicy.ABANDON,
    "id_reuse_policy": WorkflowIDReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY,
    "task_timeout": timedelta(seconds=5),
}

# For the steps of a sweep. They run one after the other, all within the sweep's timeout (ten
# minutes, `adapters/temporal/setup.py`). The next sweep continues unfinished work.
SWEEPING: Final[ActivityConfig] = {
    "start_to_close_timeout": timedelta(seconds=110),
    "schedule_to_close_timeout": timedelta(seconds=110),
    "heartbeat_timeout": timedelta(seconds=20),
    "retry_policy": RetryPolicy(maximum_attempts=3),
}

# For scheduled work that is done page by page. No caller waits for it. A retry continues where the
# last attempt stopped, or finds little work left. The attempts end after an hour. When a schedule
# or a person starts the work again, the previous workflow must have ended
# (`adapters/temporal/setup.py` bounds the total).
HOUSEKEEPING: Final[ActivityConfig] = {
    "start_to_close_timeout": timedelta(minutes=30),
    "heartbeat_timeout": timedelta(seconds=30),
    "retry_policy": RetryPolicy(
        initial_interval=timedelta(seconds=1),
        maximum_interval=timedelta(minutes=5),
        maximum_attempts=20,
    ),
}

# For a batch of saved cases: up to ten tries each, of up to twenty messages. A language model may
# take 13 s for each message. A person waits for the results, so the heartbeat must reveal a dead
# worker soon.
TRYING: Final[ActivityConfig] = {
    "start_to_close_timeout": timedelta(hours=4),
    "heartbeat_timeout": timedelta(seconds=10),
    "retry_policy": RetryPolicy(
        initial_interval=timedelta(seconds=1),
        maximum_interval=timedelta(minutes=1),
        maximum_attempts=20,
    ),
}

# For polling clients' platforms. Platforms are polled concurrently, in batches that take some
# seconds each. A retry repeats the batch that the last attempt did not finish.
POLLING: Final[ActivityConfig] = {
    "start_to_close_timeout": timedelta(minutes=50),
    "heartbeat_timeout": timedelta(seconds=30),
    "retry_policy": RetryPolicy(
        initial_interval=timedelta(seconds=1),
        maximum_interval=timedelta(minutes=1),
        maximum_attempts=5,
    ),
}

# For one page of a replay. No caller waits for it. A page ends after some seconds, or after the
# language model call in progress. Attempts continue for an hour, because the database may be
# unavailable that long.
REPLAYING: Final[ActivityConfig] = {
    "start_to_close_timeout": timedelta(minutes=2),
    "schedule_to_close_timeout": timedelta(hours=1),
    "heartbeat_timeout": timedelta(seconds=10),
    "retry_policy": RetryPolicy(
        initial_interval=timedelta(seconds=1),
        maximum_interval=timedelta(minutes=1),
    ),
}

# For the steps of an erasure. They are retried until the erasure completes, however often a worker
# dies or the database is unavailable: a partial erasure must not be left behind. A retry continues
# with the remaining data, and sends a heartbeat every second.
ERASING: Final[ActivityConfig] = {
    "start_to_close_timeout": timedelta(hours=6),
    "heartbeat_timeout": timedelta(seconds=10),
    "retry_policy": RetryPolicy(
        initial_interval=timedelta(milliseconds=500), maximum_interval=timedelta(minutes=1)
    ),
}

# Time for later review rounds, in addition to the time for the first round. Both are within the
# run's lifetime (`ProcessEventInput.lifetime`).
LATE_ROUND: Final = timedelta(hours=1)
