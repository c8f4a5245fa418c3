"""Timeouts and retry policies of every step. Nothing else sets a timeout.

The caller waits at most 30 s (`DEADLINE_S` in `api/gateway_answers.py`). Each step before the
answer must end within that time, including all its attempts. If several steps use their full time,
the caller gets the response that the answer is delayed, and the run continues.
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

# Eight attempts in 3.5 s, long enough for a database that restarts. The number of attempts is
# limited, not their total time. In temporalio 1.35, a time limit of a local activity that expires
# between two attempts is handled wrongly: with schedule-to-close the activity is retried forever,
# and with start-to-close the timeout hides the real failure. The time limit set here is therefore
# far longer than all attempts.
_QUICK: Final = RetryPolicy(
    initial_interval=timedelta(milliseconds=50),
    maximum_interval=timedelta(seconds=1),
    backoff_coefficient=2,
    maximum_attempts=8,
)

# For short, idempotent steps in the worker's own process, without a round trip to the server.
INSIDE: Final[LocalActivityConfig] = {
    "start_to_close_timeout": timedelta(seconds=15),
    "retry_policy": _QUICK,
}

# A shop gets 4 s at most (`activities/agent/look_up.py`), because the answer must not wait longer.
LOOK_UP: Final[ActivityConfig] = {
    "start_to_close_timeout": timedelta(seconds=7),
    "schedule_to_close_timeout": timedelta(seconds=9),
    "retry_policy": _QUICK,
}

# For a step that waits for a model provider. Longer than the provider's own deadline (10 s) plus
# the deadline of the embedding for the knowledge search (3 s). One more attempt if the worker dies.
REMOTE_BRAIN: Final[ActivityConfig] = {
    "start_to_close_timeout": timedelta(seconds=15),
    "schedule_to_close_timeout": timedelta(seconds=24),
    "retry_policy": _QUICK,
}

# For up to 20 messages with the embedded brain, within the caller's 30 s
# (`services/simulation/simulator.py`).
SIMULATING: Final[LocalActivityConfig] = {
    "start_to_close_timeout": timedelta(seconds=30),
    "retry_policy": _QUICK,
}

# For the same messages if each may wait for a shop and a model provider, within the caller's 110 s.
# One more attempt if the worker dies, and no more, because each attempt costs money.
SIMULATING_OUTSIDE: Final[ActivityConfig] = {
    "start_to_close_timeout": timedelta(seconds=105),
    "schedule_to_close_timeout": timedelta(seconds=110),
    "heartbeat_timeout": timedelta(seconds=5),
    "retry_policy": RetryPolicy(initial_interval=timedelta(milliseconds=200), maximum_attempts=2),
}

# The external system may need 3 s for the order and 8 s for the action. If it was silent, it gets 8
# s to report whether the action was done, and the reply takes 16 s. The timeout exceeds the sum, so
# that the ledger has the outcome before Temporal gives up. A caller who cannot wait gets the
# response that the run continues. Heartbeats reveal a dead worker
# (`activities/runtime/heartbeat.py`).
OUTSIDE: Final[ActivityConfig] = {
    "start_to_close_timeout": timedelta(seconds=40),
    "schedule_to_close_timeout": timedelta(seconds=45),
    "heartbeat_timeout": timedelta(seconds=5),
    "retry_policy": RetryPolicy(
        initial_interval=timedelta(milliseconds=200), backoff_coefficient=3, maximum_attempts=4
    ),
}

# The same, once the caller has its answer, with more time for servers that greylist or restart.
OUTSIDE_PATIENT: Final[ActivityConfig] = {
    "start_to_close_timeout": timedelta(seconds=40),
    "heartbeat_timeout": timedelta(seconds=5),
    "schedule_to_close_timeout": timedelta(hours=1),
    "retry_policy": RetryPolicy(
        initial_interval=timedelta(seconds=1), maximum_interval=timedelta(minutes=5)
    ),
}

# Decisions and effects must be stored, however long the database is unavailable, so this is retried
# for as long as the run lives.
PATIENT: Final[ActivityConfig] = {
    "start_to_close_timeout": timedelta(seconds=20),
    "retry_policy": RetryPolicy(
        initial_interval=timedelta(milliseconds=200), maximum_interval=timedelta(seconds=30)
    ),
}

# One round of work on a webhook. `workflows/process_webhook.py` counts the rounds.
WORKING: Final[ActivityConfig] = {
    "start_to_close_timeout": timedelta(seconds=30),
    "retry_policy": RetryPolicy(
        initial_interval=timedelta(milliseconds=500),
        maximum_interval=timedelta(seconds=30),
        maximum_attempts=6,
    ),
}

# The workflow of a webhook. The webhook's row says whether work is left, so a workflow that has
# ended may be started again.
WEBHOOK: Final[ChildWorkflowConfig] = {
    "task_queue": ENGINE_QUEUE,
    "parent_close_policy": ParentClosePolicy.ABANDON,
    "id_reuse_policy": WorkflowIDReusePolicy.ALLOW_DUPLICATE,
    "task_timeout": timedelta(seconds=5),
}

# The run that a webhook starts. `adapters/temporal/client.py` starts abandoned runs with the same
# options.
RUN: Final[ChildWorkflowConfig] = {
    "task_queue": ENGINE_QUEUE,
    "parent_close_policy": ParentClosePolicy.ABANDON,
    "id_reuse_policy": WorkflowIDReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY,
    "task_timeout": timedelta(seconds=5),
}

# A run that the answer of a review left open. The run's first workflow has ended.
RUN_AGAIN: Final[ChildWorkflowConfig] = {
    **RUN,
    "id_reuse_policy": WorkflowIDReusePolicy.ALLOW_DUPLICATE,
}

# The workflow of a delivery. It outlives the run that caused it. It may be started again after a
# failure, but never after it has completed.
DELIVERY: Final[ChildWorkflowConfig] = {
    "task_queue": WEBHOOKS_QUEUE,
    "parent_close_policy": ParentClosePolicy.ABANDON,
    "id_reuse_policy": WorkflowIDReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY,
    "task_timeout": timedelta(seconds=5),
}

# Covers the wait for a permit (`activities/webhooks/delivery_limiter.py`, 45 s), the POST (10 s)
# and its record, which is retried while the database is unavailable. There is no limit of retries:
# a receiver's failure is not a failure of this activity, and our own failures must not lose a
# delivery.
DELIVERING: Final[ActivityConfig] = {
    "start_to_close_timeout": timedelta(minutes=3),
    "heartbeat_timeout": timedelta(seconds=10),
    "retry_policy": RetryPolicy(
        initial_interval=timedelta(milliseconds=200), maximum_interval=timedelta(seconds=30)
    ),
}

# A mail to a person. No caller waits, and after some hours the mail is useless. A sign-in code is
# useless after ten minutes, which its activity checks. The queue is the engine's, whose workers
# have the mail server's settings.
TELLING: Final[ActivityConfig] = {
    "task_queue": ENGINE_QUEUE,
    "start_to_close_timeout": timedelta(seconds=20),
    "heartbeat_timeout": timedelta(seconds=10),
    "schedule_to_close_timeout": timedelta(hours=12),
    "retry_policy": RetryPolicy(
        initial_interval=timedelta(seconds=1), maximum_interval=timedelta(minutes=5)
    ),
}

# The mail with a late answer, and the notice of a review, have separate workflows, which outlive
# the run.
AFTER_RUN: Final[ChildWorkflowConfig] = {
    "task_queue": ENGINE_QUEUE,
    "parent_close_policy": ParentClosePolicy.ABANDON,
    "id_reuse_policy": WorkflowIDReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY,
    "task_timeout": timedelta(seconds=5),
}

# The steps of a sweep run one after the other, all within the sweep's timeout
# (`adapters/temporal/setup.py`, ten minutes). The next sweep continues unfinished work.
SWEEPING: Final[ActivityConfig] = {
    "start_to_close_timeout": timedelta(seconds=110),
    "schedule_to_close_timeout": timedelta(seconds=110),
    "heartbeat_timeout": timedelta(seconds=20),
    "retry_policy": RetryPolicy(maximum_attempts=3),
}

# No caller waits. The work is done page by page. A retry continues where the last attempt stopped,
# or finds little left. The attempts end after an hour, because a new start, by a schedule or a
# person, must find the previous one ended (`adapters/temporal/setup.py` bounds the total).
HOUSEKEEPING: Final[ActivityConfig] = {
    "start_to_close_timeout": timedelta(minutes=30),
    "heartbeat_timeout": timedelta(seconds=30),
    "retry_policy": RetryPolicy(
        initial_interval=timedelta(seconds=1),
        maximum_interval=timedelta(minutes=5),
        maximum_attempts=20,
    ),
}

# A batch of saved cases: up to ten tries each, of up to twenty messages. A language model may take
# 13 s for each message. A person waits for the results, so a dead worker must be noticed soon.
TRYING: Final[ActivityConfig] = {
    "start_to_close_timeout": timedelta(hours=4),
    "heartbeat_timeout": timedelta(seconds=10),
    "retry_policy": RetryPolicy(
        initial_interval=timedelta(seconds=1),
        maximum_interval=timedelta(minutes=1),
        maximum_attempts=20,
    ),
}

# Clients' platforms are polled concurrently, in batches of some seconds each. A retry repeats the
# batch that the last attempt did not finish.
POLLING: Final[ActivityConfig] = {
    "start_to_close_timeout": timedelta(minutes=50),
    "heartbeat_timeout": timedelta(seconds=30),
    "retry_policy": RetryPolicy(
        initial_interval=timedelta(seconds=1),
        maximum_interval=timedelta(minutes=1),
        maximum_attempts=5,
    ),
}

# No caller waits for a page of a replay. A page ends after some seconds, or after the language
# model call in progress. Attempts continue for an hour, because the database may be unavailable
# that long.
REPLAYING: Final[ActivityConfig] = {
    "start_to_close_timeout": timedelta(minutes=2),
    "schedule_to_close_timeout": timedelta(hours=1),
    "heartbeat_timeout": timedelta(seconds=10),
    "retry_policy": RetryPolicy(
        initial_interval=timedelta(seconds=1),
        maximum_interval=timedelta(minutes=1),
    ),
}

# Retry until the erasure completes, however often a worker dies or the database is unavailable; a
# partial erasure must not be left behind. A step continues with what is left, and sends a heartbeat
# every second.
ERASING: Final[ActivityConfig] = {
    "start_to_close_timeout": timedelta(hours=6),
    "heartbeat_timeout": timedelta(seconds=10),
    "retry_policy": RetryPolicy(
        initial_interval=timedelta(milliseconds=500), maximum_interval=timedelta(minutes=1)
    ),
}

# Extra time for later review rounds, added to the time for the first round, within the run's
# lifetime (`ProcessEventInput.lifetime`).
LATE_ROUND: Final = timedelta(hours=1)
