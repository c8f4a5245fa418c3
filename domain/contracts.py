"""What crosses Temporal: ids and small facts, never a customer's words.

One frozen Input and Result for each activity, signal and workflow. Histories keep these for as
long as they live, so fields are only ever added, with defaults (docs/workflow-versioning.md).
"""

from datetime import datetime

from pydantic import BaseModel, ConfigDict

from domain.delivery import DeliveryStatus
from domain.escalation import Decision, EscalationReason
from domain.order import LookupState
from domain.plan import ActionKind, StepOutcome
from domain.run import RunStatus, Timings
from domain.webhook import Notice


class Contract(BaseModel):
    """Frozen, because a payload that was sent cannot be changed."""

    model_config = ConfigDict(frozen=True)


class RunRef(Contract):
    """Which run a step works on. `request_id`: of the request that brought the event, for logs
    only; empty if another process started the run."""

    client_id: str
    event_id: str
    run_id: str
    request_id: str = ""


class ProcessEventInput(Contract):
    """`threshold`: of the playbook that won at admission. `remote_brain`: whether thinking
    leaves the process, which decides how its activity is run; recorded, so that replay agrees."""

    ref: RunRef
    threshold: float
    remote_brain: bool = False
    review_expiry_s: float = 72 * 3600


class RunFacts(Contract):
    """What the workflow tells the gateway; the answer's text is read from PostgreSQL."""

    status: RunStatus
    classification: str
    confidence: float
    steps_executed: int = 0
    duration_ms: int = 0


class NormalizeInput(Contract):
    ref: RunRef


class NormalizeResult(Contract):
    """`looks_up`: an order may have to be looked up in the merchant's shop before thinking."""

    elapsed_ms: float
    looks_up: bool = False


class LookUpInput(Contract):
    ref: RunRef


class LookUpResult(Contract):
    state: LookupState
    elapsed_ms: float


class ThinkInput(Contract):
    ref: RunRef
    threshold: float


class ThinkResult(Contract):
    """`review_reason`: why the run must wait for a human, None if it may go on."""

    classification: str
    confidence: float
    review_reason: EscalationReason | None
    actions: tuple[ActionKind, ...]
    elapsed_ms: float


class ExecuteInput(Contract):
    """`round`: 0 for the agent's own try, one more for each time a human approved."""

    ref: RunRef
    round: int = 0


class ExecuteResult(Contract):
    steps: tuple[StepOutcome, ...]
    elapsed_ms: float


class PersistInput(Contract):
    """The run's outcome. `escalation` is set when it waits for a human, `error_code` when it
    failed."""

    ref: RunRef
    status: RunStatus
    steps: tuple[StepOutcome, ...] = ()
    timings: Timings = Timings()
    escalation: EscalationReason | None = None
    review_expiry_s: float = 0
    round: int = 0
    error_code: str = ""


class PersistResult(Contract):
    """`deliveries`: ids of the webhook deliveries that this run caused and that wait to be sent."""

    duration_ms: int
    deliveries: tuple[str, ...] = ()


class SettleReviewInput(Contract):
    """`expired`: the time to decide has run out, so an undecided escalation is closed."""

    ref: RunRef
    round: int = 0
    expired: bool = False


class SettleReviewResult(Contract):
    """The decision that stands in PostgreSQL, None while there is none."""

    decision: Decision | None


class ReviewDecided(Contract):
    """Wakes a parked run. It carries no authority: the decision is read from PostgreSQL."""

    escalation_id: str


class DryRunInput(Contract):
    """`sealed`: the event, encrypted, since a dry run leaves no row to read it from."""

    client_id: str
    event_id: str
    threshold: float
    sealed: str
    remote_brain: bool = False
    playbook_id: str = ""
    playbook_version: int = 0


class DryRunResult(Contract):
    """`sealed_response`: the generated text, encrypted."""

    status: RunStatus
    classification: str
    confidence: float
    sealed_response: str


class SendWebhooksInput(Contract):
    """Deliveries of one client, each for a child of its own."""

    client_id: str
    delivery_ids: tuple[str, ...]


class DeliverWebhookInput(Contract):
    client_id: str
    delivery_id: str


class DeliverInput(Contract):
    """One try. `attempt` counts from 1; a try that is repeated because its worker died keeps its
    number."""

    client_id: str
    delivery_id: str
    attempt: int = 1


class DeliverResult(Contract):
    """`retry_in_s`: set while the delivery is pending. `notice`: what the owner must be told of the
    webhook now."""

    status: DeliveryStatus
    retry_in_s: float | None = None
    notice: Notice | None = None


class DeliverWebhookResult(Contract):
    status: DeliveryStatus


class TellOwnerInput(Contract):
    """The delivery that brought the webhook there names the mail, however often it is tried."""

    client_id: str
    delivery_id: str
    notice: Notice


class SweepInput(Contract):
    """`older_than_s`: how long a run or decision may lie before it is picked up; longer than the
    gateway's own deadline, so that the sweeper never races a healthy request. `embedding_model`:
    what knowledge is to be embedded with; empty for not at all."""

    older_than_s: float = 60
    review_expiry_s: float = 72 * 3600
    remote_brain: bool = False
    embedding_model: str = ""


class SweepResult(Contract):
    picked_up: int


class MonthlyResetInput(Contract):
    """`at`: the moment to reset for, when no schedule gives it."""

    at: datetime | None = None


class OpenPeriodInput(Contract):
    """`at`: the scheduled time, by which changes of plan are due."""

    at: datetime


class OpenPeriodResult(Contract):
    """How many counters were opened, and how many waiting changes of plan were made."""

    opened: int
    changed: int


class ReconcileInput(Contract):
    period: str


class ReconcileResult(Contract):
    """How many clients were compared, and how many of them do not add up: 0, or somebody looks."""

    compared: int
    drifting: int


class MonthlyResetResult(Contract):
    period: str
    opened: int
    changed: int
    drifting: int


class HousekeepingInput(Contract):
    """How long what is pruned is kept. `idempotency_s`: as long as callers were promised.
    `webhooks_s`: as long as what a merchant's systems have missed can be replayed.
    `inbound_events_s`: longer than any platform sends an event again."""

    idempotency_s: float = 24 * 3600
    error_reports_s: float = 30 * 24 * 3600
    webhooks_s: float = 30 * 24 * 3600
    inbound_events_s: float = 30 * 24 * 3600


class PruneResult(Contract):
    pruned: int


class HousekeepingResult(Contract):
    pruned: int
    drifting: int
