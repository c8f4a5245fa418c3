"""What crosses Temporal: ids and small facts, never a customer's words.

One frozen Input and Result for each activity, signal and workflow. Histories keep these for as
long as they live, so fields are only ever added, with defaults (docs/workflow-versioning.md).
"""

from datetime import timedelta
from typing import Final

from domain.agent.escalation_reason import EscalationReason
from domain.agent.plan import StepOutcome
from domain.core.contracts import Contract, RunRef
from domain.runs.run import RunStatus, Timings
from domain.widget.contracts import LateAnswer

_RUN_MARGIN: Final = timedelta(hours=2)


class ProcessEventInput(Contract):
    """`threshold`: of the playbook that won at admission. `remote_brain`: whether thinking
    leaves the process, which decides how its activity is run; recorded, so that replay agrees.
    `reopened`: the message joined a review whose answer did not cover it, and an earlier workflow
    of the same id has ended."""

    ref: RunRef
    threshold: float
    remote_brain: bool = False
    review_expiry_s: float = 72 * 3600
    reopened: bool = False

    @property
    def lifetime(self) -> timedelta:
        """How long its workflow may live: longer than its review."""
        return timedelta(seconds=self.review_expiry_s) + _RUN_MARGIN


class RunFacts(Contract):
    """What the workflow tells the gateway; the answer's text is read from PostgreSQL."""

    status: RunStatus
    classification: str
    confidence: float
    steps_executed: int = 0
    duration_ms: int = 0


class ExecuteInput(Contract):
    """`round`: 0 for the agent's own try, one more for each time a human approved."""

    ref: RunRef
    round: int = 0


class ExecuteResult(Contract):
    """`joined`: the review that the message was added to instead, for people have the conversation
    by now; empty for none."""

    steps: tuple[StepOutcome, ...]
    elapsed_ms: float
    joined: str = ""


class PersistInput(Contract):
    """The run's outcome. `escalation` is set when it waits for a human, `error_code` when it
    failed, `joined` when its message was added to that review: the run waits for nothing then."""

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
    """A run whose message joined a review, and that the answer of the review left open."""

    ref: RunRef
    threshold: float


class PersistResult(Contract):
    """`deliveries`: ids of the webhook deliveries that this run caused and that wait to be sent.
    `joined`: nothing was stored, for the message was added to that open review of its conversation
    in place of a review of its own. `late_answer`: what a visitor of the widget may have left
    before, to be mailed if it stays unseen. `notice`: a review that was opened, of which the
    client's people get a notice in a chat; empty for none. `reopened`: runs to start again.
    `stopped`: nothing was stored, for everything automatic was stopped before the answer was."""

    duration_ms: int
    deliveries: tuple[str, ...] = ()
    joined: str = ""
    late_answer: LateAnswer | None = None
    notice: str = ""
    reopened: tuple[ReopenedRun, ...] = ()
    stopped: bool = False


class DryRunInput(Contract):
    """`sealed`: what is read of the event, encrypted, for a dry run leaves no row to read it from.
    `draft_alone`: whoever asks reads `sealed_draft` and the status, and needs no second text."""

    client_id: str
    event_id: str
    threshold: float
    sealed: str
    remote_brain: bool = False
    playbook_id: str = ""
    playbook_version: int = 0
    draft_alone: bool = False


class DryRunResult(Contract):
    """`sealed_draft`: the generated text. `sealed_response`: what of it would be sent, for callers
    of an earlier version that read it; nothing if `draft_alone`. Both encrypted."""

    status: RunStatus
    classification: str
    confidence: float
    sealed_response: str
    sealed_draft: str = ""


class ForgetDryRunsInput(Contract):
    """`older_than_s`: how long a dry run's history is kept after its end. A day is promised, so
    that some hourly rounds may fail."""

    older_than_s: float = 20 * 3600


class ForgetDryRunsResult(Contract):
    forgotten: int


class SweepInput(Contract):
    """`older_than_s`: how long a run or decision may lie before it is picked up; longer than the
    gateway's own deadline, so that the sweeper never races a healthy request. `embedding_model`:
    what knowledge is to be embedded with; empty for not at all."""

    older_than_s: float = 60
    review_expiry_s: float = 72 * 3600
    remote_brain: bool = False
    embedding_model: str = ""


class SweepResult(Contract):
    """`failed`: each is logged, and the next sweep tries it again."""

    picked_up: int
    failed: int = 0

    def __add__(self, other: "SweepResult") -> "SweepResult":
        return SweepResult(
            picked_up=self.picked_up + other.picked_up, failed=self.failed + other.failed
        )
