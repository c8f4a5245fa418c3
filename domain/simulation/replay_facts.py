"""The facts of an event's outcome, and the difference between the original outcome and the replay
outcome."""

from enum import StrEnum
from typing import Self

from pydantic import BaseModel, ConfigDict

from domain.agent.escalation_reason import EscalationReason
from domain.agent.plan import ON_ORDERS, ActionKind, PlannedAction
from domain.core.money import Money
from domain.simulation.outcome import OutcomeStatus, SimulatedOutcome


class ReplayEnd(StrEnum):
    """The outcome that the agent decided on for an event, before any human decision.

    - `answered`, `refunded`: closed without review, without or with a refund.
    - `reviewed`: held for human review.
    - `no_playbook`: no playbook handled the event.
    - `failed`: the language model returned no answer.
    """

    ANSWERED = "answered"
    REFUNDED = "refunded"
    REVIEWED = "reviewed"
    NO_PLAYBOOK = "no_playbook"
    FAILED = "failed"


class ReplayChangeKind(StrEnum):
    """The difference between two outcomes of an event, from most to least serious. Only the first
    applies.

    - `other_amount`: the refund has a different amount.
    - `now_taken`, `no_longer_taken`: a playbook handled the event only in the replay, or only
      originally.
    - `other_action`: the plan differs, but the kind of outcome is the same.
    - `other_answer`: the text differs, but the category is the same.
    """

    REFUND_ADDED = "refund_added"
    REFUND_REMOVED = "refund_removed"
    OTHER_AMOUNT = "other_amount"
    NOW_FAILED = "now_failed"
    NOW_TAKEN = "now_taken"
    NO_LONGER_TAKEN = "no_longer_taken"
    NOW_ANSWERED = "now_answered"
    NOW_REVIEWED = "now_reviewed"
    OTHER_ACTION = "other_action"
    OTHER_CLASS = "other_class"
    OTHER_ANSWER = "other_answer"


class ReplayFacts(BaseModel):
    """The outcome of an event, without its text. `reason` is the reason for a review. `money` is
    the planned refund, even if a human must approve it."""

    model_config = ConfigDict(frozen=True)

    end: ReplayEnd
    playbook: str | None = None
    version: int | None = None
    reason: EscalationReason | None = None
    classification: str = ""
    confidence: float = 0
    actions: tuple[ActionKind, ...] = ()
    money: Money | None = None

    @classmethod
    def of(cls, outcome: SimulatedOutcome) -> Self:
        used = outcome.playbook
        return cls(
            end=end_of(outcome.status, outcome.plan),
            playbook=used.name if used else None,
            version=used.version if used else None,
            reason=outcome.reason,
            classification=outcome.classification,
            confidence=outcome.confidence,
            actions=tuple(action.kind for action in outcome.plan),
            money=money_of(outcome.plan),
        )

    @property
    def given_back(self) -> Money | None:
        """Return the amount that is refunded without a human, or None."""
        return self.money if self.end is ReplayEnd.REFUNDED else None


def end_of(status: OutcomeStatus, plan: tuple[PlannedAction, ...]) -> ReplayEnd:
    """Return the outcome of an event, from the status of its message and the plan."""
    match status:
        case OutcomeStatus.COMPLETED:
            return ReplayEnd.REFUNDED if money_of(plan) else ReplayEnd.ANSWERED
        case OutcomeStatus.NEEDS_REVIEW:
            return ReplayEnd.REVIEWED
        case OutcomeStatus.NO_PLAYBOOK:
            return ReplayEnd.NO_PLAYBOOK
        case OutcomeStatus.BRAIN_FAILED:
            return ReplayEnd.FAILED


def money_of(plan: tuple[PlannedAction, ...]) -> Money | None:
    """Return the amount that a plan refunds, or None.

    At most one action in a plan moves money because a cancellation includes the refund.
    """
    amounts = (action.amount for action in plan if action.kind in ON_ORDERS)
    return next((amount for amount in amounts if amount and amount.minor), None)


def difference(
    before: ReplayFacts, after: ReplayFacts, *, same_text: bool
) -> ReplayChangeKind | None:
    """Return the most serious difference between two outcomes, or None if they are equal.
    `same_text` means that both drafts are equal."""
    if before.given_back != after.given_back:
        return _of_money(before, after)
    if before.end is not after.end:
        return _of_ends(before.end, after.end)
    if before.money != after.money and before.money and after.money:
        return ReplayChangeKind.OTHER_AMOUNT
    if before.actions != after.actions:
        return ReplayChangeKind.OTHER_ACTION
    if before.classification != after.classification:
        return ReplayChangeKind.OTHER_CLASS
    return None if same_text else ReplayChangeKind.OTHER_ANSWER


def _of_money(before: ReplayFacts, after: ReplayFacts) -> ReplayChangeKind:
    if before.given_back is None:
        return ReplayChangeKind.REFUND_ADDED
    if after.given_back is None:
        return ReplayChangeKind.REFUND_REMOVED
    return ReplayChangeKind.OTHER_AMOUNT


def _of_ends(before: ReplayEnd, after: ReplayEnd) -> ReplayChangeKind:
    if after is ReplayEnd.FAILED:
        return ReplayChangeKind.NOW_FAILED
    if before is ReplayEnd.NO_PLAYBOOK:
        return ReplayChangeKind.NOW_TAKEN
    if after is ReplayEnd.NO_PLAYBOOK:
        return ReplayChangeKind.NO_LONGER_TAKEN
    if after is ReplayEnd.REVIEWED:
        return ReplayChangeKind.NOW_REVIEWED
    return ReplayChangeKind.NOW_ANSWERED
