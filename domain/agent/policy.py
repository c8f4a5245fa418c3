"""The policy: what the agent may do, decided by code and never by a model.

A brain is shown `offers`, the actions that are possible for this message; what it then proposes is
judged here against the rulebook, the order and what was given back already; and when the turn of
an action comes, `recheck` looks once more. Text of a customer can fill values, never choose them.
"""

from datetime import datetime, timedelta
from typing import Final

from domain.agent.brain import Category, Proposal
from domain.agent.escalation_reason import EscalationReason
from domain.agent.plan import ACTIONS, ON_ORDERS, REPLIES, ActionKind, PlannedAction
from domain.agent.rulebook import ActionLevel, ActionRule, MoneyLimits, Rulebook
from domain.agent.situation import Situation, Spent
from domain.agent.verdict import Judgement, PolicyReason, Ruling, Verdict
from domain.core.money import Money
from domain.core.plain_text import clean_text
from domain.intake.event import Channel
from domain.integrations.order import Order

MAX_NOTE_CHARS: Final = 2_000
_TURNS: Final = tuple(ACTIONS)


def offers(situation: Situation) -> tuple[PlannedAction, ...]:
    """The actions on the order, and for staff, that are possible here, all values resolved.

    Nothing of level never, nothing the order's state forbids, nothing for an unsafe message. And
    nothing for what asks for no answer: an auto-reply, a list or the staff's own words are no
    customer's request, whatever they quote. Limits and levels are no part of it: what is above
    them may be proposed, and waits. The offer of tags holds all that may be set.
    """
    return tuple(
        _resolved(situation, kind) for kind in _TURNS if _obstacle(situation, kind) is None
    )


def judge(situation: Situation, category: Category, proposals: tuple[Proposal, ...]) -> Judgement:
    """What becomes of a brain's proposals; the answer to the customer comes last in the plan.

    Proposals of one kind are one. What is refused is not in the plan; what needs approval is, and
    the whole plan then waits, its answer too: it may say what has not happened yet.
    """
    plan: list[PlannedAction] = []
    verdicts: list[Verdict] = []
    wanted = _by_kind(proposals)
    for proposal in wanted:
        action = _chosen(situation, proposal)
        verdict = _verdict(situation, category, proposal.kind, action)
        if ACTIONS[proposal.kind].covered_by in {step.kind for step in plan}:
            verdict = _refused(proposal.kind, PolicyReason.COVERED_BY_CANCEL)
        verdicts.append(verdict)
        if action is not None and verdict.ruling is not Ruling.REFUSED:
            plan.append(action)
    if situation.event.reply_allowed:
        reply = _reply(situation)
        verdicts.append(_by_level(reply.kind, situation.rulebook.rule(reply.kind)))
        if verdicts[-1].ruling is not Ruling.REFUSED:
            plan.append(reply)
    return Judgement(plan=tuple(plan), verdicts=tuple(verdicts), doubt=_doubt(situation, verdicts))


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

    `approvals`: how many people approved the plan. One may stand in for the level, and for the
    time that its approval took; two for the limits; nobody for the order's owner and state.
    `spent` counts other runs only. Not for an action that was begun before: its order may show
    the effect already.
    """
    rule = rulebook.rule(action.kind)
    if rule.level is ActionLevel.NEVER:
        return PolicyReason.LEVEL_NEVER
    if (action.order_id, action.integration_id) != (order.id, order.integration_id):
        return PolicyReason.NOT_THEIRS
    if reason := _order_obstacle(action.kind, order, spent, customer_email):
        return reason
    checks = (
        (action.amount != order.refundable, PolicyReason.AMOUNT_CHANGED),
        (approvals < 1 and rule.level is ActionLevel.HUMAN_APPROVED, PolicyReason.LEVEL_HUMAN),
        (approvals < 1 and _too_old(rule, order, now), PolicyReason.ORDER_TOO_OLD),
    )
    above = _above_limit(rule.limits, order.refundable, spent) if approvals < 2 else None
    return next((why for broken, why in checks if broken), above)


def _obstacle(situation: Situation, kind: ActionKind) -> PolicyReason | None:
    """Why this kind of action is not offered; None if it is."""
    if situation.unsafe:
        return PolicyReason.UNSAFE_INPUT
    if kind in REPLIES or not situation.event.reply_allowed:
        return PolicyReason.NOT_OFFERED
    rule = situation.rulebook.rule(kind)
    if rule.level is ActionLevel.NEVER:
        return PolicyReason.LEVEL_NEVER
    if kind in ON_ORDERS:
        return _obstacle_on_order(situation, kind, rule)
    no_tags = ACTIONS[kind].chosen == "tags" and not rule.tags
    missing = situation.desk is None or no_tags
    return PolicyReason.NOT_OFFERED if missing else None


def _obstacle_on_order(
    situation: Situation, kind: ActionKind, rule: ActionRule
) -> PolicyReason | None:
    order, event = situation.order, situation.event
    if order is None or not situation.shop_is_connected(order):
        return PolicyReason.NOT_OFFERED
    if not event.customer_verified:
        return PolicyReason.NOT_THEIRS
    if reason := _order_obstacle(kind, order, situation.spent, event.customer_email):
        return reason
    return PolicyReason.ORDER_TOO_OLD if _too_old(rule, order, situation.now) else None


def _order_obstacle(
    kind: ActionKind, order: Order, spent: Spent, customer_email: str | None
) -> PolicyReason | None:
    """What no level and no person can allow."""
    if not order.belongs_to(customer_email):
        return PolicyReason.NOT_THEIRS
    if spent.on_order & ON_ORDERS:
        return PolicyReason.ALREADY_DONE
    spec = ACTIONS[kind]
    if spec.states and order.state not in spec.states:
        return PolicyReason.ORDER_STATE
    if spec.gives_back and order.refundable.minor == 0:
        return PolicyReason.NOTHING_TO_REFUND
    return None


def _too_old(rule: ActionRule, order: Order, now: datetime) -> bool:
    return rule.within_days is not None and now - order.placed_at > timedelta(rule.within_days)


def _above_limit(limits: MoneyLimits | None, amount: Money, spent: Spent) -> PolicyReason | None:
    """The limit that `amount` would break, with what was spent before; None if it breaks none."""
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


def _resolved(situation: Situation, kind: ActionKind) -> PlannedAction:
    """The action with all that code knows of it; what it names was found present before."""
    if kind in ON_ORDERS and (order := situation.order):
        return PlannedAction(
            kind=kind,
            integration_id=order.integration_id,
            order_id=order.id,
            order_number=order.number,
            amount=order.refundable,
        )
    desk = situation.desk
    return PlannedAction(
        kind=kind,
        integration_id=desk.integration_id if desk else None,
        ticket_id=situation.event.ticket_id if desk else None,
        tags=situation.rulebook.rule(kind).tags,
    )


def _by_kind(proposals: tuple[Proposal, ...]) -> list[Proposal]:
    """One proposal a kind, in the order of the plan: the first, with the tags of all."""
    first: dict[ActionKind, Proposal] = {}
    for proposal in proposals:
        before = first.setdefault(proposal.kind, proposal)
        tags = dict.fromkeys((*before.tags, *proposal.tags))
        first[proposal.kind] = before.model_copy(update={"tags": tuple(tags)})
    return sorted(first.values(), key=lambda one: _TURNS.index(one.kind))


def _chosen(situation: Situation, proposal: Proposal) -> PlannedAction | None:
    """The offer that a proposal names, with its text or its tags; None if there is no such offer
    or nothing in it."""
    if _obstacle(situation, proposal.kind):
        return None
    offer = _resolved(situation, proposal.kind)
    match ACTIONS[proposal.kind].chosen:
        case "tags":
            tags = tuple(tag for tag in offer.tags if tag in proposal.tags)
            return offer.model_copy(update={"tags": tags}) if tags else None
        case "text":
            text = clean_text(proposal.text, MAX_NOTE_CHARS)
            return offer.model_copy(update={"text": text}) if text else None
        case None:
            return offer


def _verdict(
    situation: Situation, category: Category, kind: ActionKind, action: PlannedAction | None
) -> Verdict:
    if action is None:
        return _refused(kind, _obstacle(situation, kind) or PolicyReason.NOT_OFFERED)
    rule = situation.rulebook.rule(kind)
    if rule.categories and category not in rule.categories:
        return _refused(kind, PolicyReason.WRONG_CATEGORY)
    if action.amount and (why := _above_limit(rule.limits, action.amount, situation.spent)):
        return Verdict(kind=kind, ruling=Ruling.NEEDS_SECOND, reason=why)
    return _by_level(kind, rule)


def _by_level(kind: ActionKind, rule: ActionRule) -> Verdict:
    if rule.level is ActionLevel.NEVER:
        return _refused(kind, PolicyReason.LEVEL_NEVER)
    if rule.level is ActionLevel.HUMAN_APPROVED:
        reason = PolicyReason.LEVEL_HUMAN
        return Verdict(kind=kind, ruling=Ruling.NEEDS_APPROVAL, reason=reason)
    return Verdict(kind=kind, ruling=Ruling.ALLOWED)


def _refused(kind: ActionKind, reason: PolicyReason) -> Verdict:
    return Verdict(kind=kind, ruling=Ruling.REFUSED, reason=reason)


def _doubt(situation: Situation, verdicts: list[Verdict]) -> EscalationReason | None:
    if situation.unsafe:
        return EscalationReason.UNSAFE_INPUT
    if any(verdict.ruling is not Ruling.ALLOWED for verdict in verdicts):
        return EscalationReason.POLICY_RESTRICTION
    return None


def _reply(situation: Situation) -> PlannedAction:
    """The action that answers the event: in its helpdesk's ticket, by mail where the customer
    wrote a mail, else in place. A mail without a usable address is answered in place too: the
    caller knows where it came from."""
    event = situation.event
    if situation.desk:
        return _resolved(situation, ActionKind.REPLY_IN_HELPDESK)
    if event.channel is Channel.EMAIL and event.customer_email:
        return PlannedAction(kind=ActionKind.REPLY_BY_EMAIL)
    return PlannedAction(kind=ActionKind.REPLY)
