"""Temporal contracts of a human's decision."""

from domain.agent.plan import ActionKind
from domain.core.contracts import Contract, RunRef
from domain.reviews.escalation import Decision


class SettleReviewInput(Contract):
    """`expired`: the time to decide has run out, so an undecided escalation is closed."""

    ref: RunRef
    round: int = 0
    expired: bool = False


class SettleReviewResult(Contract):
    """The decision that is stored in PostgreSQL, or None. `actions`: those of the approved plan, if
    later messages had changed it; else None."""

    decision: Decision | None
    actions: tuple[ActionKind, ...] | None = None


class ReviseReviewInput(Contract):
    """`ref`: the run of a message that joined the review `review_id`."""

    ref: RunRef
    review_id: str


class ReviseReviewResult(Contract):
    """`revised`: the review has another draft or plan."""

    revised: bool
    elapsed_ms: float


class ReviewDecided(Contract):
    """Wakes a parked run. It carries no authority: the decision is read from PostgreSQL."""

    escalation_id: str


class TellReviewersInput(Contract):
    """The review that the client's members are notified of."""

    client_id: str
    review_id: str
