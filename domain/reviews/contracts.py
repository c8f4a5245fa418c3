"""What crosses Temporal around a human's decision."""

from domain.core.contracts import Contract, RunRef
from domain.reviews.escalation import Decision


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


class TellReviewersInput(Contract):
    """Of which review the client's people are told."""

    client_id: str
    review_id: str
