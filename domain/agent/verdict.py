"""The verdict: what the policy says of an action, and why."""

from enum import StrEnum
from typing import Final, Self

from pydantic import BaseModel, ConfigDict

from domain.agent.escalation_reason import EscalationReason
from domain.agent.plan import IN_PLACE, ActionKind, PlannedAction, StepOutcome, StepState


class Ruling(StrEnum):
    """`ask`: the customer is asked first. `needs_second`: above a limit, so that two people must
    agree. `refused`: not at all."""

    ALLOWED = "allowed"
    ASK = "ask"
    NEEDS_APPROVAL = "needs_approval"
    NEEDS_SECOND = "needs_second"
    REFUSED = "refused"


class PolicyReason(StrEnum):
    """Why an action was not simply allowed. Stable codes: stored, shown and logged.

    `already_done`: some run has acted on the order, or may have, so a second time needs a human.
    `covered_by_cancel`: a cancellation gives the payment back by itself. `amount_changed`: the
    order is not worth what was planned any more. `not_asked`: no plain request of the customer's
    own stands in the message. `not_certain`: there is one, and it is hesitant. `order_not_named`,
    `several_orders`: which order is meant is not certain. `not_confirmed`: the customer has not
    said yes. `unknown_language`: no grammar reads it. `sender_not_authenticated`: nobody vouches
    for the mail's sender. `order_not_live`: the order is known from webhooks, and its shop was not
    asked. `order_disputed`: the customer's bank is asked for the payment, so that a human decides.
    `people_answer`: a person has answered in the helpdesk's ticket. `taken_over`: a person took the
    conversation over while the agent thought. `automation_stopped`: everything automatic is
    stopped.
    """

    NOT_OFFERED = "not_offered"
    LEVEL_NEVER = "level_never"
    LEVEL_HUMAN = "level_human"
    WRONG_CATEGORY = "wrong_category"
    ORDER_TOO_OLD = "order_too_old"
    NOTHING_TO_REFUND = "nothing_to_refund"
    ORDER_STATE = "order_state"
    NOT_THEIRS = "not_theirs"
    ALREADY_DONE = "already_done"
    COVERED_BY_CANCEL = "covered_by_cancel"
    AMOUNT_CHANGED = "amount_changed"
    ABOVE_PER_ACTION = "above_per_action"
    ABOVE_PER_CUSTOMER = "above_per_customer"
    ABOVE_PER_DAY = "above_per_day"
    OTHER_CURRENCY = "other_currency"
    UNSAFE_INPUT = "unsafe_input"
    NOT_ASKED = "not_asked"
    NOT_CERTAIN = "not_certain"
    ORDER_NOT_NAMED = "order_not_named"
    SEVERAL_ORDERS = "several_orders"
    NOT_CONFIRMED = "not_confirmed"
    UNKNOWN_LANGUAGE = "unknown_language"
    SENDER_NOT_AUTHENTICATED = "sender_not_authenticated"
    WRONG_INTENT = "wrong_intent"
    ORDER_NOT_LIVE = "order_not_live"
    ORDER_DISPUTED = "order_disputed"
    PEOPLE_ANSWER = "people_answer"
    TAKEN_OVER = "taken_over"
    AUTOMATION_STOPPED = "automation_stopped"


_LIMITS: Final = frozenset(
    {
        PolicyReason.ABOVE_PER_ACTION,
        PolicyReason.ABOVE_PER_CUSTOMER,
        PolicyReason.ABOVE_PER_DAY,
        PolicyReason.OTHER_CURRENCY,
    }
)
# What kept the agent from it keeps no person from approving it.
_UNTIL_APPROVED: Final = frozenset({PolicyReason.TAKEN_OVER, PolicyReason.AUTOMATION_STOPPED})


class Verdict(BaseModel):
    """What the policy says of one action."""

    model_config = ConfigDict(frozen=True)

    kind: ActionKind
    ruling: Ruling
    reason: PolicyReason | None = None

    @classmethod
    def blocked(cls, kind: ActionKind, reason: PolicyReason) -> Self:
        """Of an action that may not be done now that its turn has come."""
        ruling = Ruling.REFUSED
        if reason in _LIMITS:
            ruling = Ruling.NEEDS_SECOND
        elif reason in _UNTIL_APPROVED:
            ruling = Ruling.NEEDS_APPROVAL
        return cls(kind=kind, ruling=ruling, reason=reason)


def blocked_for_good(steps: tuple[StepOutcome, ...]) -> frozenset[ActionKind]:
    """The actions that were blocked, and that no further approval lets through."""
    blocked = (step for step in steps if step.state is StepState.BLOCKED)
    verdicts = (Verdict.blocked(step.kind, PolicyReason(step.detail)) for step in blocked)
    return frozenset(one.kind for one in verdicts if one.ruling is Ruling.REFUSED)


def left_to_people(steps: tuple[StepOutcome, ...]) -> bool:
    """Whether nothing was done because a person answers in the helpdesk's ticket."""
    blocked = any(step.detail == PolicyReason.PEOPLE_ANSWER for step in steps)
    return blocked and not any(step.state is StepState.DONE for step in steps)


def stopped_in_place(steps: tuple[StepOutcome, ...]) -> tuple[StepOutcome, ...]:
    """The outcomes of a plan whose answer was ready, and was stopped before it was stored. The
    effects on other systems stay done."""
    return tuple(
        StepOutcome.blocked(step.kind, PolicyReason.AUTOMATION_STOPPED)
        if step.kind in IN_PLACE
        else step
        for step in steps
    )


class CustomerQuestion(BaseModel):
    """What the customer is asked. `action`: whether to do just that; None: which order is meant, to
    do `kind` about it."""

    model_config = ConfigDict(frozen=True)

    kind: ActionKind
    action: PlannedAction | None = None


class Judgement(BaseModel):
    """The plan to carry out, in order, and why it looks like that.

    `doubt`: why a human must see it first; None if the agent may go on. `refused`: something was
    proposed that will not be done, so the draft may promise what does not happen. `question`: what
    the customer is asked in place of the brain's answer.
    """

    model_config = ConfigDict(frozen=True)

    plan: tuple[PlannedAction, ...]
    verdicts: tuple[Verdict, ...]
    doubt: EscalationReason | None = None
    question: CustomerQuestion | None = None

    @property
    def refused(self) -> bool:
        return any(verdict.ruling is Ruling.REFUSED for verdict in self.verdicts)

    @property
    def needs_second(self) -> bool:
        return any(verdict.ruling is Ruling.NEEDS_SECOND for verdict in self.verdicts)
