"""Timeouts and retry policies for all workflow steps. No other module sets a timeout.

The gateway's caller waits at most `DEADLINE_S` (`api/gateway_answers.py`), so each step before the
answer must end within that time, with all attempts. If several use it up, the answer is delayed and
the run continues.
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

# Eight attempts take 3.5 s, long enough for a database restart. temporalio 1.35 mishandles a local
# activity's time limit that expires between two attempts. The limit is therefore far longer than
# all attempts together.
_QUICK: Final = RetryPolicy(
    initial_interval=timedelta(milliseconds=50),
    maximum_interval=timedelta(seconds=1),
    backoff_coefficient=2,
    maximum_attempts=8,
)

# The longest pause of work that waits for a slot. It must be shorter than the time after which the
# worker forgets a waiting client (`activities/runtime/worker_slots.py`).
_FOR_A_SLOT: Final = timedelta(seconds=12)

# Options for short, idempotent steps that run in the worker's own process, without a round trip to
# the Temporal server.
INSIDE: Final[LocalActivityConfig] = {
    "start_to_close_timeout": timedelta(seconds=15),
    "retry_policy": _QUICK,
}

# Options for one attempt to look up an order in the worker's own process. Most shops respond in
# less time. A slower shop is asked again with LOOK_UP, so that it does not delay the workflow task.
LOOK_UP_INSIDE: Final[LocalActivityConfig] = {
    "start_to_close_timeout": timedelta(seconds=1.5),
    "retry_policy": RetryPolicy(maximum_attempts=1),
}

# Options for looking up an order as a regular activity. The shop has at most 4 s to respond
# (`activities/agent/look_up.py`), because the answer must not wait longer.
LOOK_UP: Final[ActivityConfig] = {
    "start_to_close_timeout": timedelta(seconds=7),
    "schedule_to_close_timeout": timedelta(seconds=9),
    "retry_policy": _QUICK,
}

# Options for a step that waits for a model provider. The timeout is longer than the sum of the
# provider's deadline (10 s) and the embedding deadline for the knowledge search (3 s). The total
# time allows one more attempt if the worker crashes.
REMOTE_BRAIN: Final[ActivityConfig] = {
    "start_to_close_timeout": timedelta(seconds=15),
    "schedule_to_close_timeout": timedelta(seconds=24),
    "retry_policy": _QUICK,
}

# Options for a simulation of up to 20 messages with the embedded brain. It must end within the 30 s
# that the caller waits (`services/simulation/simulator.py`).
SIMULATING: Final[LocalActivityConfig] = {
    "start_to_close_timeout": timedelta(seconds=30),
    "retry_policy": _QUICK,
}

# Options for a simulation of up to 20 messages with a language model, within the 110 s that the
# caller waits. After a crash, only one more attempt is made, because each costs money.
SIMULATING_OUTSIDE: Final[ActivityConfig] = {
    "start_to_close_timeout": timedelta(seconds=105),
    "schedule_to_close_timeout": timedelta(seconds=110),
    "heartbeat_timeout": timedelta(seconds=5),
    "retry_policy": RetryPolicy(initial_interval=timedelta(milliseconds=200), maximum_attempts=2),
}

# Options for actions in external systems. The timeout exceeds the sum of all waits, so that the
# ledger has the outcome before the activity times out. The waits are 3 s for the order, 8 s for the
# action, 8 s for its outcome and 16 s for the reply. Missing heartbeats indicate a dead worker
# (`activities/runtime/heartbeat.py`).
OUTSIDE: Final[ActivityConfig] = {
    "start_to_close_timeout": timedelta(seconds=40),
    "schedule_to_close_timeout": timedelta(seconds=45),
    "heartbeat_timeout": timedelta(seconds=5),
    "retry_policy": RetryPolicy(
        initial_interval=timedelta(milliseconds=200), backoff_coefficient=3, maximum_attempts=4
    ),
}

# Options for actions in external systems after the caller has received its answer. Servers that use
# greylisting or are restarting have more time.
OUTSIDE_PATIENT: Final[ActivityConfig] = {
    "start_to_close_timeout": timedelta(seconds=40),
    "heartbeat_timeout": timedelta(seconds=5),
    "schedule_to_close_timeout": timedelta(hours=1),
    "retry_policy": RetryPolicy(
        initial_interval=timedelta(seconds=1), maximum_interval=timedelta(minutes=5)
    ),
}

# Options for steps that store decisions and effects. The steps are retried until the run's lifetime
# ends, because they must succeed even if the database is unavailable for a long time.
PATIENT: Final[ActivityConfig] = {
    "start_to_close_timeout": timedelta(seconds=20),
    "retry_policy": RetryPolicy(
        initial_interval=timedelta(milliseconds=200), maximum_interval=timedelta(seconds=30)
    ),
}

# Options for one round of attempts to process an inbound webhook. `workflows/process_webhook.py`
# counts the rounds.
WORKING: Final[ActivityConfig] = {
    "start_to_close_timeout": timedelta(seconds=30),
    "retry_policy": RetryPolicy(
        initial_interval=timedelta(milliseconds=500),
        maximum_interval=timedelta(seconds=30),
        maximum_attempts=6,
    ),
}

# Options for an inbound webhook's workflow. A workflow that has ended may be started again, because
# the webhook's row shows whether work is left.
WEBHOOK: Final[ChildWorkflowConfig] = {
    "task_queue": ENGINE_QUEUE,
    "parent_close_policy": ParentClosePolicy.ABANDON,
    "id_reuse_policy": WorkflowIDReusePolicy.ALLOW_DUPLICATE,
    "task_timeout": timedelta(seconds=5),
}

# Options for the run that an inbound webhook starts. `adapters/temporal/client.py` starts abandoned
# runs with the same options.
RUN: Final[ChildWorkflowConfig] = {
    "task_queue": ENGINE_QUEUE,
    "parent_close_policy": ParentClosePolicy.ABANDON,
    "id_reuse_policy": WorkflowIDReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY,
    "task_timeout": timedelta(seconds=5),
}

# Options for restarting a run whose message joined a review that did not answer it. The workflow id
# may be reused because the first workflow has ended.
RUN_AGAIN: Final[ChildWorkflowConfig] = {
    **RUN,
    "id_reuse_policy": WorkflowIDReusePolicy.ALLOW_DUPLICATE,
}

# Options for a webhook delivery's workflow. The workflow outlives the run that triggered the
# delivery. It may be started again after it has failed, but never after it has completed.
DELIVERY: Final[ChildWorkflowConfig] = {
    "task_queue": WEBHOOKS_QUEUE,
    "parent_close_policy": ParentClosePolicy.ABANDON,
    "id_reuse_policy": WorkflowIDReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY,
    "task_timeout": timedelta(seconds=5),
}

# Options for one attempt at a webhook delivery. The timeout covers the wait for a permit (45 s,
# `activities/webhooks/delivery_limiter.py`), the POST (10 s) and the storage of its result.
# Attempts are unlimited because the service must not lose a delivery. If the receiver fails, this
# activity does not fail.
DELIVERING: Final[ActivityConfig] = {
    "start_to_close_timeout": timedelta(minutes=3),
    "heartbeat_timeout": timedelta(seconds=10),
    "retry_policy": RetryPolicy(
        initial_interval=timedelta(milliseconds=200), maximum_interval=timedelta(seconds=30)
    ),
}

# Options for an email or notice to a person. Attempts stop after some hours because the email is
# then useless. Activities for sign-in codes check the age themselves. Only the engine's workers
# have the mail server settings.
TELLING: Final[ActivityConfig] = {
    "task_queue": ENGINE_QUEUE,
    "start_to_close_timeout": timedelta(seconds=20),
    "heartbeat_timeout": timedelta(seconds=10),
    "schedule_to_close_timeout": timedelta(hours=12),
    "retry_policy": RetryPolicy(
        initial_interval=timedelta(seconds=1), maximum_interval=timedelta(minutes=5)
    ),
}

# Options for one pass of emails to members. The next pass continues unfinished work, so the timeout
# only ends a pass that hangs. Missing heartbeats indicate a dead worker.
MAILING_MEMBERS: Final[ActivityConfig] = {
    "start_to_close_timeout": timedelta(minutes=30),
    "heartbeat_timeout": timedelta(seconds=10),
    "retry_policy": RetryPolicy(
        initial_interval=timedelta(seconds=1),
        maximum_interval=timedelta(minutes=1),
        maximum_attempts=5,
    ),
}

# Options for the workflows that email a late answer or send a notice about a review. They outlive
# the run.
AFTER_RUN: Final[ChildWorkflowConfig] = {
    "task_queue": ENGINE_QUEUE,
    "parent_close_policy": ParentClosePolicy.ABANDON,
    "id_reuse_policy": WorkflowIDReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY,
    "task_timeout": timedelta(seconds=5),
}

# Options for the steps of a sweep. They run in sequence, all within the sweep's timeout (ten
# minutes, `adapters/temporal/setup.py`). The next sweep continues unfinished work.
SWEEPING: Final[ActivityConfig] = {
    "start_to_close_timeout": timedelta(seconds=110),
    "schedule_to_close_timeout": timedelta(seconds=110),
    "heartbeat_timeout": timedelta(seconds=20),
    "retry_policy": RetryPolicy(maximum_attempts=3),
}

# Options for scheduled work that is processed page by page. A retry continues where the previous
# attempt stopped. Attempts stop after an hour, so that the next scheduled workflow can start.
HOUSEKEEPING: Final[ActivityConfig] = {
    "start_to_close_timeout": timedelta(minutes=30),
    "heartbeat_timeout": timedelta(seconds=30),
    "retry_policy": RetryPolicy(
        initial_interval=timedelta(seconds=1),
        maximum_interval=timedelta(minutes=5),
        maximum_attempts=20,
    ),
}

# Options for a batch of saved cases, each simulated up to ten times with up to twenty messages of
# up to 13 s. Heartbeats detect a dead worker quickly because a user is waiting.
TRYING: Final[ActivityConfig] = {
    "start_to_close_timeout": timedelta(hours=4),
    "heartbeat_timeout": timedelta(seconds=10),
    "retry_policy": RetryPolicy(
        initial_interval=timedelta(seconds=1),
        maximum_interval=_FOR_A_SLOT,
        maximum_attempts=20,
    ),
}

# Options for finding the pages of a website: its robots.txt, and its sitemaps within a minute
# (`domain/content/site_import.py`). A user is waiting for the first page.
OPENING_SITE: Final[ActivityConfig] = {
    "start_to_close_timeout": timedelta(minutes=5),
    "heartbeat_timeout": timedelta(seconds=10),
    "retry_policy": RetryPolicy(
        initial_interval=timedelta(seconds=1),
        maximum_interval=_FOR_A_SLOT,
        maximum_attempts=8,
    ),
}

# Options for reading one page of a website. Attempts continue for some minutes because the database
# may be unavailable for that long. A page that cannot be read does not fail the activity.
READING_SITE: Final[ActivityConfig] = {
    "start_to_close_timeout": timedelta(minutes=2),
    "heartbeat_timeout": timedelta(seconds=10),
    "retry_policy": RetryPolicy(
        initial_interval=timedelta(seconds=1),
        maximum_interval=_FOR_A_SLOT,
        maximum_attempts=12,
    ),
}

# Options for polling clients' platforms. Platforms are polled concurrently, in batches that take a
# few seconds each. A retry repeats the batch that the previous attempt did not finish.
POLLING: Final[ActivityConfig] = {
    "start_to_close_timeout": timedelta(minutes=50),
    "heartbeat_timeout": timedelta(seconds=30),
    "retry_policy": RetryPolicy(
        initial_interval=timedelta(seconds=1),
        maximum_interval=timedelta(minutes=1),
        maximum_attempts=5,
    ),
}

# Options for one page of a replay. After a few seconds, the page ends with the current language
# model call. Attempts continue for an hour because the database may be unavailable.
REPLAYING: Final[ActivityConfig] = {
    "start_to_close_timeout": timedelta(minutes=2),
    "schedule_to_close_timeout": timedelta(hours=1),
    "heartbeat_timeout": timedelta(seconds=10),
    "retry_policy": RetryPolicy(
        initial_interval=timedelta(seconds=1),
        maximum_interval=_FOR_A_SLOT,
    ),
}

# Options for the steps of an erasure. They are retried until the erasure completes, because a
# partial erasure must not be left behind.
ERASING: Final[ActivityConfig] = {
    "start_to_close_timeout": timedelta(hours=6),
    "heartbeat_timeout": timedelta(seconds=10),
    "retry_policy": RetryPolicy(
        initial_interval=timedelta(milliseconds=500), maximum_interval=timedelta(minutes=1)
    ),
}

# Total time for all review rounds after the first. The run's lifetime
# (`ProcessEventInput.lifetime`) includes it, as well as the time for the first round.
LATE_ROUND: Final = timedelta(hours=1)
