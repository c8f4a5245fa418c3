"""Temporal payloads for humans' decisions."""

from domain.agent.plan import ActionKind
from domain.core.contracts import Contract, RunRef
from domain.reviews.escalation import Decision


class SettleReviewInput(Contract):
    """`expired`: the time to decide has run out, so an undecided escalation is closed."""

    ref: RunRef
    round: int = 0
    expired: bool = False


class SettleReviewResult(Contract):
    """The decision that is stored in PostgreSQL, or None. `actions`: the actions of the approved
    plan if later messages had changed the plan, else None."""

    decision: Decision | None
    actions: tuple[ActionKind, ...] | None = None


class ReviseReviewInput(Contract):
    """`ref`: the run whose message joined the review `review_id`."""

    ref: RunRef
    review_id: str


class ReviseReviewResult(Contract):
    """`revised`: whether the review now has another draft or plan."""

    revised: bool
    elapsed_ms: float


class ReviewDecided(Contract):
    """Wakes a parked run. The signal carries no authority: the decision is read from PostgreSQL."""

    escalation_id: str


class TellReviewersInput(Contract):
    """The review about which the client's members are notified."""

    client_id: str
    review_id: str
