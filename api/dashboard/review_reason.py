"""The reason for a review, as shown on the review's page and in the run's analysis."""

from dataclasses import dataclass

from domain.agent.brain import Category
from domain.agent.escalation_reason import EscalationReason
from domain.agent.model_fault import ModelFault
from domain.agent.plan import ON_ORDERS, PlannedAction
from domain.agent.safety.sensitive import SensitiveMatter
from domain.integrations.order import LookupState, Order
from domain.reviews.review import Review
from domain.runs.trace import RunTrace
from store.reviews.review_context import ReviewContext


@dataclass(frozen=True, slots=True)
class ShownReason:
    """The reason for a review, with the facts that explain it.

    - `not_theirs`: the number of the named order, if it belongs to another customer; else empty.
    - `nothing_left`: the number of an order without a refundable amount, if the customer asks for
      a refund; else empty.
    """

    reason: EscalationReason
    sensitive: SensitiveMatter | None
    model_fault: ModelFault | None
    not_theirs: str = ""
    nothing_left: str = ""

    @property
    def is_sensitive(self) -> bool:
        """Return True if the sensitive topic is the reason, and no rule of the merchant."""
        return self.sensitive is not None and self.reason is EscalationReason.POLICY_RESTRICTION

    @property
    def is_explained(self) -> bool:
        """Return True if `nothing_left` explains the reason without a further text."""
        return bool(self.nothing_left) and self.reason is EscalationReason.POLICY_RESTRICTION


def reason_of_review(review: Review, context: ReviewContext) -> ShownReason:
    """Return the reason for a review."""
    is_theirs = context.lookup != LookupState.NOT_THEIRS
    return ShownReason(
        reason=review.reason,
        sensitive=review.sensitive,
        model_fault=review.model_fault,
        not_theirs="" if is_theirs else context.looked_for or "",
        nothing_left=_nothing_left(review.classification, review.order, review.plan),
    )


def reason_of_run(run: RunTrace) -> ShownReason | None:
    """Return the reason for the run's latest review, or for the handover of a run without a
    review. Return None if the agent handled the run."""
    reason = run.reviews[-1].reason if run.reviews else run.handoff_reason
    if reason is None:
        return None
    lookup = run.lookup
    is_theirs = lookup is None or lookup.state is not LookupState.NOT_THEIRS
    return ShownReason(
        reason=reason,
        sensitive=run.sensitive,
        model_fault=run.thought.model_fault,
        not_theirs="" if lookup is None or is_theirs else lookup.number or "",
        nothing_left=_nothing_left(
            run.thought.classification, lookup.order if lookup else None, run.plan
        ),
    )


def _nothing_left(
    classification: str | None, order: Order | None, plan: tuple[PlannedAction, ...]
) -> str:
    """Return the order's number if the customer asks for a refund of an order that was refunded
    before the message; else an empty string."""
    if classification != Category.REFUND_REQUEST or order is None:
        return ""
    if not order.total.minor or order.refundable.minor:
        return ""
    return "" if any(one.kind in ON_ORDERS for one in plan) else order.number
