"""How long each step may take and how often it is tried. Nothing else sets a timeout.

The caller waits at most 30 s (`DEADLINE_S` in `api/gateway_answers.py`), so each step
before the answer must end, with all its tries, within that. If several take all they may, the
caller is told that the answer is late, and the run goes on.
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

# Eight tries in 3.5 s: long enough for a database that restarts. Tries are counted, not timed:
# with temporalio 1.35 a time limit of a local activity that runs out between two tries is lost
# (schedule-to-close: it is then tried for ever) or reported instead of the real failure
# (start-to-close), so the one that is set lies well beyond all tries.
_QUICK: Final = RetryPolicy(
    initial_interval=timedelta(milliseconds=50),
    maximum_interval=timedelta(seconds=1),
    backoff_coefficient=2,
    maximum_attempts=8,
)

# Short and idempotent, in the worker's own process: no round trip to the server.
INSIDE: Final[LocalActivityConfig] = {
    "start_to_close_timeout": timedelta(seconds=15),
    "retry_policy": _QUICK,
}

# The shop is asked for 4 s at most (`activities/agent/look_up.py`); the answer must wait no longer.
LOOK_UP: Final[ActivityConfig] = {
    "start_to_close_timeout": timedelta(seconds=7),
    "schedule_to_close_timeout": timedelta(seconds=9),
    "retry_policy": _QUICK,
}

# A provider thinks: longer than its own deadline (10 s) and that of the embedding which finds the
# knowledge for it (3 s), with one more try if the worker dies.
REMOTE_BRAIN: Final[ActivityConfig] = {
    "start_to_close_timeout": timedelta(seconds=15),
    "schedule_to_close_timeout": timedelta(seconds=24),
    "retry_policy": _QUICK,
}

# Up to 20 messages with the embedded brain: within the caller's 30 s
# (`services/simulation/simulator.py`).
SIMULATING: Final[LocalActivityConfig] = {
    "start_to_close_timeout": timedelta(seconds=30),
    "retry_policy": _QUICK,
}

# The same where each message may have to wait for a shop and for a provider: within the caller's
# 110 s, with one more try if the worker dies. It costs money, so it is not tried more often.
SIMULATING_OUTSIDE: Final[ActivityConfig] = {
    "start_to_close_timeout": timedelta(seconds=105),
    "schedule_to_close_timeout": timedelta(seconds=110),
    "heartbeat_timeout": timedelta(seconds=5),
    "retry_policy": RetryPolicy(initial_interval=timedelta(milliseconds=200), maximum_attempts=2),
}

# The other side is asked for the order (3 s), to do it (8 s), and if it keeps silent, whether it
# did (8 s), and then for the reply (16 s): longer than all of that, so that the ledger knows the
# outcome before Temporal gives up; a caller who cannot wait so long is told that the run goes on.
# A worker that dies is noticed by its heartbeats (`activities/runtime/heartbeat.py`).
OUTSIDE: Final[ActivityConfig] = {
    "start_to_close_timeout": timedelta(seconds=40),
    "schedule_to_close_timeout": timedelta(seconds=45),
    "heartbeat_timeout": timedelta(seconds=5),
    "retry_policy": RetryPolicy(
        initial_interval=timedelta(milliseconds=200), backoff_coefficient=3, maximum_attempts=4
    ),
}

# The same after the caller has its answer, for servers that greylist or restart.
OUTSIDE_PATIENT: Final[ActivityConfig] = {
    "start_to_close_timeout": timedelta(seconds=40),
    "heartbeat_timeout": timedelta(seconds=5),
    "schedule_to_close_timeout": timedelta(hours=1),
    "retry_policy": RetryPolicy(
        initial_interval=timedelta(seconds=1), maximum_interval=timedelta(minutes=5)
    ),
}

# What was decided and done must be written, however long the database is away: tried as long as
# the run lives.
PATIENT: Final[ActivityConfig] = {
    "start_to_close_timeout": timedelta(seconds=20),
    "retry_policy": RetryPolicy(
        initial_interval=timedelta(milliseconds=200), maximum_interval=timedelta(seconds=30)
    ),
}

# One round of the work on a webhook; `workflows/process_webhook.py` counts the rounds.
WORKING: Final[ActivityConfig] = {
    "start_to_close_timeout": timedelta(seconds=30),
    "retry_policy": RetryPolicy(
        initial_interval=timedelta(milliseconds=500),
        maximum_interval=timedelta(seconds=30),
        maximum_attempts=6,
    ),
}

# A webhook's own workflow. Its row says whether there is anything left to do, so that one that has
# ended may be started again.
WEBHOOK: Final[ChildWorkflowConfig] = {
    "task_queue": ENGINE_QUEUE,
    "parent_close_policy": ParentClosePolicy.ABANDON,
    "id_reuse_policy": WorkflowIDReusePolicy.ALLOW_DUPLICATE,
    "task_timeout": timedelta(seconds=5),
}

# The run that a webhook became, as `adapters/temporal/client.py` starts one that was left behind.
RUN: Final[ChildWorkflowConfig] = {
    "task_queue": ENGINE_QUEUE,
    "parent_close_policy": ParentClosePolicy.ABANDON,
    "id_reuse_policy": WorkflowIDReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY,
    "task_timeout": timedelta(seconds=5),
}

# A run that the answer of a review left open. Its first workflow has ended.
RUN_AGAIN: Final[ChildWorkflowConfig] = {
    **RUN,
    "id_reuse_policy": WorkflowIDReusePolicy.ALLOW_DUPLICATE,
}

# A delivery's own workflow. It outlives the run that caused it. One that was lost without an end
# may be started again; one that ended never.
DELIVERY: Final[ChildWorkflowConfig] = {
    "task_queue": WEBHOOKS_QUEUE,
    "parent_close_policy": ParentClosePolicy.ABANDON,
    "id_reuse_policy": WorkflowIDReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY,
    "task_timeout": timedelta(seconds=5),
}

# The wait for a permit (`activities/webhooks/permits.py`, 45 s), the POST (10 s) and its record,
# which insists while the database is away. Tried for as long as it takes: what a receiver does is
# no failure of this, and what is ours to mend must not lose a delivery.
DELIVERING: Final[ActivityConfig] = {
    "start_to_close_timeout": timedelta(minutes=3),
    "heartbeat_timeout": timedelta(seconds=10),
    "retry_policy": RetryPolicy(
        initial_interval=timedelta(milliseconds=200), maximum_interval=timedelta(seconds=30)
    ),
}

# A mail to a person: nobody waits, and after some hours it is no news; a sign-in code is none after
# ten minutes, which its step sees. The engine's workers know the mail server.
TELLING: Final[ActivityConfig] = {
    "task_queue": ENGINE_QUEUE,
    "start_to_close_timeout": timedelta(seconds=20),
    "heartbeat_timeout": timedelta(seconds=10),
    "schedule_to_close_timeout": timedelta(hours=12),
    "retry_policy": RetryPolicy(
        initial_interval=timedelta(seconds=1), maximum_interval=timedelta(minutes=5)
    ),
}

# The mail with a late answer and the notice of a review have workflows of their own, which outlive
# the run.
AFTER_RUN: Final[ChildWorkflowConfig] = {
    "task_queue": ENGINE_QUEUE,
    "parent_close_policy": ParentClosePolicy.ABANDON,
    "id_reuse_policy": WorkflowIDReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY,
    "task_timeout": timedelta(seconds=5),
}

# The steps of a sweep come one after the other, and each must have its time within the whole one's
# (`adapters/temporal/setup.py`, ten minutes). What one does not come to, the next sweep does.
SWEEPING: Final[ActivityConfig] = {
    "start_to_close_timeout": timedelta(seconds=110),
    "schedule_to_close_timeout": timedelta(seconds=110),
    "heartbeat_timeout": timedelta(seconds=20),
    "retry_policy": RetryPolicy(maximum_attempts=3),
}

# Nobody waits for it. Its work is done page by page, and a retry goes on where the last try stopped
# or finds little left. The tries last for an hour: whoever starts it again, a schedule or a human,
# must find it ended (`adapters/temporal/setup.py` bounds the whole).
HOUSEKEEPING: Final[ActivityConfig] = {
    "start_to_close_timeout": timedelta(minutes=30),
    "heartbeat_timeout": timedelta(seconds=30),
    "retry_policy": RetryPolicy(
        initial_interval=timedelta(seconds=1),
        maximum_interval=timedelta(minutes=5),
        maximum_attempts=20,
    ),
}

# Some saved cases: up to ten tries of up to twenty messages each, which a language model may think
# about for 13 s. A person waits for the verdicts, so that a worker that dies is missed soon.
TRYING: Final[ActivityConfig] = {
    "start_to_close_timeout": timedelta(hours=4),
    "heartbeat_timeout": timedelta(seconds=10),
    "retry_policy": RetryPolicy(
        initial_interval=timedelta(seconds=1),
        maximum_interval=timedelta(minutes=1),
        maximum_attempts=20,
    ),
}

# Clients' platforms are asked several at once, some seconds each, in batches; the next try repeats
# the batch that one try did not finish.
POLLING: Final[ActivityConfig] = {
    "start_to_close_timeout": timedelta(minutes=50),
    "heartbeat_timeout": timedelta(seconds=30),
    "retry_policy": RetryPolicy(
        initial_interval=timedelta(seconds=1),
        maximum_interval=timedelta(minutes=1),
        maximum_attempts=5,
    ),
}

# Nobody waits for a page of a replay. It ends after some seconds, or after the one language model
# call that it was at; its tries go on for an hour, as a database may be away for that long.
REPLAYING: Final[ActivityConfig] = {
    "start_to_close_timeout": timedelta(minutes=2),
    "schedule_to_close_timeout": timedelta(hours=1),
    "heartbeat_timeout": timedelta(seconds=10),
    "retry_policy": RetryPolicy(
        initial_interval=timedelta(seconds=1),
        maximum_interval=timedelta(minutes=1),
    ),
}

# What was begun must be brought to its end, however often a worker dies or the database is away:
# half an erasure is none. A step finds what is left, and says every second that it is alive.
ERASING: Final[ActivityConfig] = {
    "start_to_close_timeout": timedelta(hours=6),
    "heartbeat_timeout": timedelta(seconds=10),
    "retry_policy": RetryPolicy(
        initial_interval=timedelta(milliseconds=500), maximum_interval=timedelta(minutes=1)
    ),
}

# How much longer than the first review's time later rounds may take; within the run's life
# (`ProcessEventInput.lifetime`).
LATE_ROUND: Final = timedelta(hours=1)
