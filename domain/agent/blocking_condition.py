"""Blocking conditions: conditions that block an action regardless of any request or approval."""

from datetime import datetime, timedelta

from domain.agent.plan import ACTIONS, ON_ORDERS, REPLIES, ActionKind
from domain.agent.policy_context import PolicyContext, Spent
from domain.agent.policy_decision import PolicyReason
from domain.agent.rulebook import ActionLevel, ActionRule, MoneyLimits
from domain.core.money import Money
from domain.integrations.order import Order


def blocking_condition(policy_context: PolicyContext, kind: ActionKind) -> PolicyReason | None:
    """Return the reason why the agent does not offer this kind of action, or None if the agent
    offers it."""
    if policy_context.unsafe:
        return PolicyReason.UNSAFE_INPUT
    if kind in REPLIES or not policy_context.event.reply_allowed:
        return PolicyReason.NOT_OFFERED
    rule = policy_context.rulebook.rule(kind)
    if rule.level is ActionLevel.NEVER:
        return PolicyReason.LEVEL_NEVER
    if kind in ON_ORDERS:
        return _of_order(policy_context, kind, rule)
    no_tags = ACTIONS[kind].chosen == "tags" and not rule.tags
    missing = policy_context.desk is None or no_tags
    return PolicyReason.NOT_OFFERED if missing else None


def _of_order(
    policy_context: PolicyContext, kind: ActionKind, rule: ActionRule
) -> PolicyReason | None:
    order, event = policy_context.order, policy_context.event
    if order is None or not policy_context.shop_is_connected(order):
        return PolicyReason.NOT_OFFERED
    if event.author is not None or not event.may_read:
        return PolicyReason.NOT_THEIRS
    if reason := order_blocking_condition(kind, order, policy_context.spent, event.customer_email):
        return reason
    return PolicyReason.ORDER_TOO_OLD if too_old(rule, order, policy_context.now) else None


def order_blocking_condition(
    kind: ActionKind, order: Order, spent: Spent, customer_email: str | None
) -> PolicyReason | None:
    """Return the reason why the action is impossible for this order, or None if it is possible.

    The action level and human approvals do not override these reasons.
    """
    if not order.belongs_to(customer_email):
        return PolicyReason.NOT_THEIRS
    if order.told_at is not None:
        return PolicyReason.ORDER_NOT_LIVE
    if spent.on_order & ON_ORDERS:
        return PolicyReason.ALREADY_DONE
    spec = ACTIONS[kind]
    if spec.states and order.state not in spec.states:
        return PolicyReason.ORDER_STATE
    if spec.gives_back and order.refundable.minor == 0:
        return PolicyReason.NOTHING_TO_REFUND
    return None


def needs_human(order: Order | None, spent: Spent) -> PolicyReason | None:
    """Return the reason why a human must approve an action on the order, or None.

    A disputed payment needs a human because the bank may refund it as well. So does an earlier
    action on an order with the same number at another provider, which may be the same purchase.
    """
    if order is None:
        return None
    if order.is_disputed:
        return PolicyReason.ORDER_DISPUTED
    return PolicyReason.SAME_NUMBER_DONE if spent.same_number else None


def too_old(rule: ActionRule, order: Order, now: datetime) -> bool:
    """Return True if the order is older than the rule's `within_days`."""
    return rule.within_days is not None and now - order.placed_at > timedelta(rule.within_days)


def above_limit(limits: MoneyLimits | None, amount: Money, spent: Spent) -> PolicyReason | None:
    """Return a reason if a refund of `amount` exceeds a limit, else None.

    Earlier refunds count toward the limits per customer and per day. An amount in another currency
    exceeds every limit.
    """
    if limits is None:
        return None
    if amount.currency != limits.currency:
        return PolicyReason.OTHER_CURRENCY
    sums = (
        (amount.minor, limits.per_action, PolicyReason.ABOVE_PER_ACTION),
        (spent.customer + amount.minor, limits.per_customer, PolicyReason.ABOVE_PER_CUSTOMER),
        (spent.day + amount.minor, limits.per_day, PolicyReason.ABOVE_PER_DAY),
    )
    return next((why for total, most, why in sums if most is not None and total > most), None)
