"""Temporal inputs and results for decisions on reviews."""

from domain.agent.plan import ActionKind
from domain.core.contracts import Contract, RunRef
from domain.reviews.escalation import Decision


class SettleReviewInput(Contract):
    """The input for reading the decision on a review. If `expired` is true, a review without a
    decision is closed as expired."""

    ref: RunRef
    round: int = 0
    expired: bool = False


class SettleReviewResult(Contract):
    """The stored decision on a review, or None. `actions` are the actions of the approved plan if
    later messages changed the plan, else None."""

    decision: Decision | None
    actions: tuple[ActionKind, ...] | None = None


class ReviseReviewInput(Contract):
    """The input for revising a review because of a later message. `ref`: the run whose message was
    added to the review `review_id`."""

    ref: RunRef
    review_id: str


class ReviseReviewResult(Contract):
    """The outcome of revising a review. `revised` means that its draft or plan has changed."""

    revised: bool
    elapsed_ms: float


class ReviewDecided(Contract):
    """The signal that wakes a run that has a pending review. The signal does not contain the
    decision: the run reads the decision from PostgreSQL."""

    escalation_id: str


class TellReviewersInput(Contract):
    """The input for notifying the client's members about a review."""

    client_id: str
    review_id: str


class MailMembersInput(Contract):
    """The input for emailing members about tickets that need them."""


class MailMembersResult(Contract):
    """The outcome of one pass. `sent` is the number of emails that the mail server accepted."""

    sent: int
