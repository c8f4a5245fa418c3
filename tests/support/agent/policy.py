"""Calls of the policy, with defaults for rarely changed arguments."""

from collections.abc import Iterable
from datetime import timedelta
from typing import Final

from domain.agent.brain import Category, Proposal
from domain.agent.plan import ActionKind, PlannedAction, Warrant
from domain.agent.policy import available_actions, judge, recheck
from domain.agent.policy_context import PolicyContext, Spent
from domain.agent.policy_decision import Judgement, PolicyReason, Ruling
from domain.agent.rulebook import Rulebook
from domain.integrations.order import Order
from tests.support.agent.policy_context import CUSTOMER, FREE_HAND, NOW, a_situation

REFUND, CANCEL = ActionKind.REFUND, ActionKind.CANCEL_ORDER
TAG, NOTE, REPLY_THERE = ActionKind.TAG, ActionKind.NOTE, ActionKind.REPLY_IN_HELPDESK


def kinds(actions: Iterable[PlannedAction]) -> list[ActionKind]:
    return [action.kind for action in actions]


def judged(
    policy_context: PolicyContext,
    *proposals: Proposal | ActionKind,
    category: Category = Category.REFUND_REQUEST,
) -> Judgement:
    made = (one if isinstance(one, Proposal) else Proposal(kind=one) for one in proposals)
    return judge(policy_context, category, tuple(made))


def ruling(judgement: Judgement, kind: ActionKind) -> tuple[Ruling, PolicyReason | None]:
    found = [verdict for verdict in judgement.verdicts if verdict.kind is kind]
    assert len(found) == 1
    return found[0].ruling, found[0].reason


def rechecked(
    action: PlannedAction,
    order: Order,
    *,
    spent: Spent | None = None,
    rulebook: Rulebook = FREE_HAND,
    email: str | None = CUSTOMER,
    approvals: int = 0,
    days_later: float = 0,
) -> PolicyReason | None:
    return recheck(
        action,
        rulebook,
        order,
        spent or Spent(),
        customer_email=email,
        approvals=approvals,
        now=NOW + timedelta(days=days_later),
    )


def planned(kind: ActionKind) -> PlannedAction:
    """Return the action in the plan for a message that plainly requests it."""
    offered = next(one for one in available_actions(a_situation()) if one.kind is kind)
    return offered.model_copy(update={"warrant": Warrant.REQUEST})


REFUND_49: Final = planned(REFUND)
CANCEL_49: Final = planned(CANCEL)
