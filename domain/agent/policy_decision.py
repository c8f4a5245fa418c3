"""The policy's decision on an action, and the reason for it."""

from enum import StrEnum
from typing import Final, Self

from pydantic import BaseModel, ConfigDict

from domain.agent.escalation_reason import EscalationReason
from domain.agent.plan import IN_PLACE, ActionKind, PlannedAction, StepOutcome, StepState


class Ruling(StrEnum):
    """The outcome of a policy decision. `ask`: the customer must confirm first. `needs_second`: the
    amount exceeds a limit, so two humans must approve."""

    ALLOWED = "allowed"
    ASK = "ask"
    NEEDS_APPROVAL = "needs_approval"
    NEEDS_SECOND = "needs_second"
    REFUSED = "refused"


class PolicyReason(StrEnum):
    """The reason why an action was not allowed in its proposed form. The codes are stable. They are
    stored, shown and logged.

    - `already_done`: a run has acted on the order, or may have, so a human decides about a second
      action.
    - `covered_by_cancel`: a cancellation includes the refund.
    - `amount_changed`: the order's refundable amount differs from the plan's amount.
    - `not_asked`: the message has no plain request in the customer's own words.
    - `not_certain`: the message has a request, but a hesitant one.
    - `order_not_named`, `several_orders`: it is uncertain which order the customer means.
    - `not_confirmed`: the customer has not said yes.
    - `unknown_language`: no grammar supports the language.
    - `sender_not_authenticated`: the mail's sender is not authenticated.
    - `order_not_live`: the order is known only from webhooks because its shop was not queried.
    - `same_number_done`: a run has acted on an order with the same number at another provider, so a
      human decides.
    - `order_disputed`: the customer disputes the payment with the bank, so a human decides.
    - `people_answer`: a human agent has answered in the helpdesk ticket.
    - `taken_over`: a human agent took over the conversation while the agent was drafting.
    - `automation_stopped`: all automation is stopped.
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
    SAME_NUMBER_DONE = "same_number_done"
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
# Reasons that block an action until a human approves it.
_UNTIL_APPROVED: Final = frozenset({PolicyReason.TAKEN_OVER, PolicyReason.AUTOMATION_STOPPED})


class PolicyDecision(BaseModel):
    """The policy's decision on one action."""

    model_config = ConfigDict(frozen=True)

    kind: ActionKind
    ruling: Ruling
    reason: PolicyReason | None = None

    @classmethod
    def blocked(cls, kind: ActionKind, reason: PolicyReason) -> Self:
        """Return the decision for an action that is not allowed at execution time. The action is
        refused or held for an approval, depending on `reason`."""
        ruling = Ruling.REFUSED
        if reason in _LIMITS:
            ruling = Ruling.NEEDS_SECOND
        elif reason in _UNTIL_APPROVED:
            ruling = Ruling.NEEDS_APPROVAL
        return cls(kind=kind, ruling=ruling, reason=reason)


def blocked_for_good(steps: tuple[StepOutcome, ...]) -> frozenset[ActionKind]:
    """Return the kinds of blocked actions that no further approval can allow."""
    blocked = (step for step in steps if step.state is StepState.BLOCKED)
    verdicts = (PolicyDecision.blocked(step.kind, PolicyReason(step.detail)) for step in blocked)
    return frozenset(one.kind for one in verdicts if one.ruling is Ruling.REFUSED)


def left_to_people(steps: tuple[StepOutcome, ...]) -> bool:
    """Return True if no step was executed and at least one was blocked because a person is
    answering the helpdesk ticket."""
    blocked = any(step.detail == PolicyReason.PEOPLE_ANSWER for step in steps)
    return blocked and not any(step.state is StepState.DONE for step in steps)


def stopped_in_place(steps: tuple[StepOutcome, ...]) -> tuple[StepOutcome, ...]:
    """Return the step outcomes of a plan that was stopped before its answer was stored. Actions
    that only affect the gateway's answer become blocked.

    Actions that took effect in other systems stay done.
    """
    return tuple(
        StepOutcome.blocked(step.kind, PolicyReason.AUTOMATION_STOPPED)
        if step.kind in IN_PLACE
        else step
        for step in steps
    )


class CustomerQuestion(BaseModel):
    """A question to the customer: whether to execute `action`, or, if it is None, which order
    `kind` applies to."""

    model_config = ConfigDict(frozen=True)

    kind: ActionKind
    action: PlannedAction | None = None


class Judgement(BaseModel):
    """The plan to execute and the policy decisions that led to it.

    - `doubt`: the reason why a human must review the plan first, or None.
    - `refused`: a proposed action is refused, so the draft may promise an action that will not
      happen.
    - `question`: replaces the brain's answer.
    """

    model_config = ConfigDict(frozen=True)

    plan: tuple[PlannedAction, ...]
    verdicts: tuple[PolicyDecision, ...]
    doubt: EscalationReason | None = None
    question: CustomerQuestion | None = None

    @property
    def refused(self) -> bool:
        return any(verdict.ruling is Ruling.REFUSED for verdict in self.verdicts)

    @property
    def needs_second(self) -> bool:
        return any(verdict.ruling is Ruling.NEEDS_SECOND for verdict in self.verdicts)
