"""Temporal payloads for runs: ids and small facts, never customer text.

Histories store them, so fields are only ever added, with defaults (docs/workflow-versioning.md).
"""

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from domain.agent.escalation_reason import EscalationReason
from domain.agent.model_patience import LONGEST_PATIENCE
from domain.agent.plan import StepOutcome
from domain.core.contracts import Contract, RunRef
from domain.runs.run import RunStatus, Timings
from domain.widget.contracts import LateAnswer

_RUN_MARGIN: Final = timedelta(hours=2)


class ProcessEventInput(Contract):
    """The input of a run's workflow.

    - `threshold`: the confidence threshold of the playbook selected at admission.
    - `remote_brain`: the brain runs outside the process. Recorded for deterministic replay.
    - `reopened`: the message left a review whose answer did not cover it, and an earlier workflow
      with the same id has ended.
    """

    ref: RunRef
    threshold: float
    remote_brain: bool = False
    review_expiry_s: float = 72 * 3600
    reopened: bool = False

    @property
    def lifetime(self) -> timedelta:
        """Return the maximum lifetime of the run's workflow. It exceeds the sum of the longest wait
        for a language model and the time allowed to decide a review."""
        return LONGEST_PATIENCE + timedelta(seconds=self.review_expiry_s) + _RUN_MARGIN


class RunFacts(Contract):
    """The result that a run's workflow returns to the gateway. The gateway then reads the text of
    the answer from PostgreSQL."""

    status: RunStatus
    classification: str
    confidence: float
    steps_executed: int = 0
    duration_ms: int = 0


class RunStep(StrEnum):
    """The step that a run is at."""

    NORMALIZE = "normalize"
    LOOK_UP = "look_up"
    THINK = "think"
    EXECUTE = "execute"
    REVIEW = "review"
    DONE = "done"


class RunProgress(Contract):
    """The current state of a run, shown in the Temporal UI.

    `status` is None before the first outcome. `review_id`, `reason` and `expires_at` describe the
    review that the run waits for.
    """

    run_id: str
    step: RunStep
    status: RunStatus | None = None
    round: int = 0
    review_id: str = ""
    reason: EscalationReason | None = None
    expires_at: datetime | None = None


class ExecuteInput(Contract):
    """The plan to execute. `round` is 0 for the agent's own attempt, and each approval increments
    it."""

    ref: RunRef
    round: int = 0


class ExecuteResult(Contract):
    """The outcome of an execution. `joined` is the review that received the run's message, or
    empty. If set, the plan was not executed, because a human handles the conversation."""

    steps: tuple[StepOutcome, ...]
    elapsed_ms: float
    joined: str = ""


class PersistInput(Contract):
    """The outcome of a run, to be stored. `escalation` is set for a pending review, and
    `error_code` for a failure. `joined` is the review that received the run's message, or empty."""

    ref: RunRef
    status: RunStatus
    steps: tuple[StepOutcome, ...] = ()
    timings: Timings = Timings()
    escalation: EscalationReason | None = None
    review_expiry_s: float = 0
    round: int = 0
    error_code: str = ""
    joined: str = ""


class ReopenedRun(Contract):
    """A run to start again: its message was added to a review, but the review's answer did not
    cover the message."""

    ref: RunRef
    threshold: float


class PersistResult(Contract):
    """The results of persisting a run's outcome.

    - `deliveries`: ids of this run's webhook deliveries that are ready to be sent.
    - `joined`: id of the open review to which the message was added, in which case nothing was
      stored.
    - `late_answer`: an answer in the widget that is emailed if the visitor does not see it.
    - `notice`: id of the new review about which the client's team is notified in chat, or empty if
      there is none.
    - `reopened`: runs to start again.
    - `review_id`: id of the review that was requested, or empty if there is none.
    - `stopped`: automation was stopped before the answer was stored, so nothing was stored.
    """

    duration_ms: int
    deliveries: tuple[str, ...] = ()
    joined: str = ""
    late_answer: LateAnswer | None = None
    notice: str = ""
    reopened: tuple[ReopenedRun, ...] = ()
    stopped: bool = False
    review_id: str = ""


class ReplyDue(Contract):
    """The time until a member's reply is sent, in seconds. `is_over`: the reply was undone, or its
    outcome is stored."""

    wait_s: float = 0
    is_over: bool = False


class DeliveredReply(Contract):
    """The outcome of sending a member's reply. `late_answer` is the widget reply that is emailed if
    the visitor does not see it."""

    late_answer: LateAnswer | None = None


class FailReplyInput(Contract):
    """The input for recording that a member's reply could not be sent."""

    client_id: str
    record_id: str
    error_code: str


class DryRunInput(Contract):
    """The input of a dry run. `sealed` is the encrypted event because a dry run stores no database
    row. If `draft_alone` is true, the caller reads only `sealed_draft` and the status."""

    client_id: str
    event_id: str
    threshold: float
    sealed: str
    remote_brain: bool = False
    playbook_id: str = ""
    playbook_version: int = 0
    draft_alone: bool = False


class DryRunResult(Contract):
    """The result of a dry run, with encrypted texts. `sealed_response` is for callers of an earlier
    version, and empty if `draft_alone` was set."""

    status: RunStatus
    classification: str
    confidence: float
    sealed_response: str
    sealed_draft: str = ""


class ForgetDryRunsInput(Contract):
    """The input for the hourly deletion of dry runs. `older_than_s` is the retention after a run's
    end. Its default is below the promised day, so that some deletions may fail."""

    older_than_s: float = 20 * 3600


class ForgetDryRunsResult(Contract):
    forgotten: int


class SweepInput(Contract):
    """The input of the sweep, which resumes interrupted work. `older_than_s` exceeds the gateway's
    deadline, so that the sweep never races with a healthy request. Without `embedding_model`, no
    knowledge is embedded."""

    older_than_s: float = 60
    review_expiry_s: float = 72 * 3600
    remote_brain: bool = False
    embedding_model: str = ""


class SweepResult(Contract):
    """The outcome of a sweep. Failures are logged, and the next sweep retries them."""

    picked_up: int
    failed: int = 0

    def __add__(self, other: "SweepResult") -> "SweepResult":
        return SweepResult(
            picked_up=self.picked_up + other.picked_up, failed=self.failed + other.failed
        )
