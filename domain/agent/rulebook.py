"""The policy rules in a playbook version: the agent's instructions and allowed actions."""

from enum import StrEnum
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from domain.agent.brain import Category
from domain.agent.intent import Intent
from domain.agent.plan import ACTIONS, ON_ORDERS, REPLIES, ActionKind
from domain.agent.procedure import Procedure
from domain.core.money import MAX_MINOR

MAX_INSTRUCTIONS: Final = 10_000
MAX_DAYS: Final = 3_650


class ActionLevel(StrEnum):
    """The approval that an action needs.

    - `autonomous`: the customer's plain request.
    - `customer-confirmed`: also a yes to a question that states the order and the amount.
    - `human-approved`: a human's approval.
    - `never`: the action is not allowed.
    """

    AUTONOMOUS = "autonomous"
    CUSTOMER_CONFIRMED = "customer-confirmed"
    HUMAN_APPROVED = "human-approved"
    NEVER = "never"


class MoneyLimits(BaseModel):
    """The amounts that the agent may refund without human approval, in minor units of one currency.

    - `per_action`: for one refund, or one cancellation with its refund.
    - `per_customer`: to one customer within `CUSTOMER_WINDOW`.
    - `per_day`: to all customers of the client within a UTC day.

    None means no limit. An amount in another currency exceeds every limit. Above a limit, two
    people must approve.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    currency: str = Field(pattern="^[A-Z]{3}$")
    per_action: int | None = Field(default=None, ge=0, le=MAX_MINOR)
    per_customer: int | None = Field(default=None, ge=0, le=MAX_MINOR)
    per_day: int | None = Field(default=None, ge=0, le=MAX_MINOR)


class ActionRule(BaseModel):
    """A playbook's rule for one kind of action.

    - `categories`, `intents`: the messages to which the rule applies, or empty for all messages.
      For any other message, a reply waits for a human, and any other action is refused.
    - `within_days`: the maximum age of an order, in days, or None for any age.
    - `limits`: for actions that move money.
    - `tags`: the tags that the agent may set. A message must not invent tags, because the
      merchant's automations may react to them.
    - `merchant_requests`: whether a `merchant_request` sent to the gateway also permits the action.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    level: ActionLevel
    categories: tuple[Category, ...] = ()
    intents: tuple[Intent, ...] = ()
    limits: MoneyLimits | None = None
    within_days: int | None = Field(default=None, ge=1, le=MAX_DAYS)
    tags: tuple[str, ...] = ()
    merchant_requests: bool = False

    @property
    def by_itself(self) -> bool:
        """Return True if the rule allows the action without human approval."""
        return self.level in (ActionLevel.AUTONOMOUS, ActionLevel.CUSTOMER_CONFIRMED)


_WITH_TAGS: Final = frozenset(kind for kind, spec in ACTIONS.items() if spec.chosen == "tags")


def _listed(kinds: frozenset[ActionKind]) -> str:
    *others, last = (kind.value for kind in ActionKind if kind in kinds)
    return f"{', '.join(others)} and {last}" if others else last


def problem(kind: ActionKind, rule: ActionRule) -> str | None:
    """Return an error message for the author of the rule, or None if the rule is valid.

    Rules are checked when a rulebook is saved, not when it is loaded, because a stored rule must
    always load.
    """
    if kind not in ON_ORDERS and (rule.limits or rule.within_days):
        return f"limits and within_days are for {_listed(ON_ORDERS)}"
    if kind not in _WITH_TAGS and rule.tags:
        return f"tags are for the action {_listed(_WITH_TAGS)}"
    if kind in _WITH_TAGS and rule.level is not ActionLevel.NEVER and not rule.tags:
        return "name the tags that may be set"
    by_customer = rule.level is ActionLevel.CUSTOMER_CONFIRMED
    if by_customer and kind not in ON_ORDERS:
        return f"{rule.level} is for {_listed(ON_ORDERS)}"
    return _problem_of_money(kind, rule)


def _problem_of_money(kind: ActionKind, rule: ActionRule) -> str | None:
    moves_money = kind in ON_ORDERS and rule.by_itself
    if rule.merchant_requests and not moves_money:
        return (
            f"merchant_requests is for {_listed(ON_ORDERS)} that are "
            f"{ActionLevel.AUTONOMOUS} or {ActionLevel.CUSTOMER_CONFIRMED}"
        )
    unlimited = rule.limits is None or rule.limits.per_action is None
    if moves_money and unlimited:
        return f"a {kind} that is {rule.level} needs limits with per_action"
    return None


_BY_DEFAULT: Final = {
    kind: ActionRule(level=ActionLevel.AUTONOMOUS if kind in REPLIES else ActionLevel.NEVER)
    for kind in ActionKind
}


class DuringReview(BaseModel):
    """How the agent handles messages about another topic during an open review.

    If `answers` is true, it answers from knowledge and templates. If `actions` is true, it also
    executes actions, or asks the customer about them. Without this object, a stored rulebook leaves
    such messages to a human.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    answers: bool = False
    actions: bool = False


class Rulebook(BaseModel):
    """The rules of one playbook version.

    - `instructions`: the merchant's instructions to a language model, never shown to customers.
    - `procedure`: the steps for a language model, also never shown to customers.
    - `actions`: a rule for each configured kind of action. Without rules, the agent only answers.
    - `shadow`: the agent drafts but sends nothing. Human answers are compared with the drafts
      (`domain/learning/comparison.py`).
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    instructions: str = Field(default="", max_length=MAX_INSTRUCTIONS)
    procedure: Procedure = Procedure()
    actions: dict[ActionKind, ActionRule] = {}
    shadow: bool = False
    during_review: DuringReview = DuringReview()

    def rule(self, kind: ActionKind) -> ActionRule:
        return self.actions.get(kind, _BY_DEFAULT[kind])
