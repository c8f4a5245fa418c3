"""The policy: what the agent may do, decided by code and never by a model.

A brain is shown `offers`, the actions that are possible for this message; what it then proposes is
judged here against the rulebook, the order and what was given back already; and when the turn of
an action comes, `recheck` looks once more. Text of a customer can fill values, never choose them.
"""

from datetime import datetime
from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from domain.brain import Category, Proposal
from domain.escalation import EscalationReason
from domain.event import UnifiedEvent
from domain.integration import Provider
from domain.order import Order
from domain.plan import ActionKind, PlannedAction
from domain.rulebook import Rulebook


class Ruling(StrEnum):
    """`needs_second`: above a limit, so that two people must agree. `refused`: not at all."""

    ALLOWED = "allowed"
    NEEDS_APPROVAL = "needs_approval"
    NEEDS_SECOND = "needs_second"
    REFUSED = "refused"


class PolicyReason(StrEnum):
    """Why an action was not simply allowed. Stable codes: stored, shown and logged."""

    NOT_OFFERED = "not_offered"
    LEVEL_NEVER = "level_never"
    LEVEL_HUMAN = "level_human"
    WRONG_CATEGORY = "wrong_category"
    ORDER_TOO_OLD = "order_too_old"
    NOTHING_TO_REFUND = "nothing_to_refund"
    ORDER_STATE = "order_state"
    NOT_THEIRS = "not_theirs"
    ALREADY_DONE = "already_done"
    ABOVE_PER_ACTION = "above_per_action"
    ABOVE_PER_CUSTOMER = "above_per_customer"
    ABOVE_PER_DAY = "above_per_day"
    OTHER_CURRENCY = "other_currency"
    UNSAFE_INPUT = "unsafe_input"


class Verdict(BaseModel):
    """What the policy says of one action."""

    model_config = ConfigDict(frozen=True)

    kind: ActionKind
    ruling: Ruling
    reason: PolicyReason | None = None


class Spent(BaseModel):
    """What the agent gave back already, in minor units of the limits' currency.

    `customer`: to this customer within 30 days. `day`: to all customers of the client since
    midnight UTC. `on_order`: kinds of action that some run has done, or may have done, to it.
    """

    model_config = ConfigDict(frozen=True)

    customer: int = 0
    day: int = 0
    on_order: frozenset[ActionKind] = frozenset()


class Connection(BaseModel):
    """A connected integration, as far as the policy must know it."""

    model_config = ConfigDict(frozen=True)

    integration_id: str
    provider: Provider


class Situation(BaseModel):
    """All the policy looks at. `order`: looked up, and this customer's. `unsafe`: the message, or
    something else a brain is shown, tries to give it orders."""

    model_config = ConfigDict(frozen=True)

    event: UnifiedEvent
    rulebook: Rulebook
    connections: tuple[Connection, ...] = ()
    order: Order | None = None
    spent: Spent = Spent()
    unsafe: bool = False
    now: datetime


class Judgement(BaseModel):
    """The plan to carry out, in order, and why it looks like that.

    `doubt`: why a human must see it first; None if the agent may go on. `refused`: something was
    proposed that will not be done, so the draft may promise what does not happen.
    """

    model_config = ConfigDict(frozen=True)

    plan: tuple[PlannedAction, ...]
    verdicts: tuple[Verdict, ...]
    doubt: EscalationReason | None = None

    @property
    def refused(self) -> bool:
        return any(verdict.ruling is Ruling.REFUSED for verdict in self.verdicts)

    @property
    def needs_second(self) -> bool:
        return any(verdict.ruling is Ruling.NEEDS_SECOND for verdict in self.verdicts)


def offers(situation: Situation) -> tuple[PlannedAction, ...]:
    """The actions on the order, and for staff, that are possible here, all values resolved.

    Nothing of level never, nothing the order's state forbids, nothing for an unsafe message.
    """
    raise NotImplementedError


def judge(situation: Situation, category: Category, proposals: tuple[Proposal, ...]) -> Judgement:
    """What becomes of a brain's proposals; the answer to the customer comes last in the plan."""
    raise NotImplementedError


def recheck(
    action: PlannedAction,
    rulebook: Rulebook,
    order: Order,
    spent: Spent,
    *,
    customer_email: str | None,
    approvals: int,
    now: datetime,
) -> PolicyReason | None:
    """Why an action on an order may not be done now that its turn has come; None if it may.

    `approvals`: how many people approved the plan. One may stand in for the level, two for the
    limits; nobody for the order's owner and state. `spent` counts other runs only.
    """
    raise NotImplementedError
