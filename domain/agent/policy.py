"""The policy decides which actions the agent may take. The policy is code, never a model.

A brain chooses from the `available_actions` for a message and may fill in text or tags. The policy
then evaluates its proposals. `recheck` evaluates each action again before it runs.
"""

from datetime import datetime
from typing import Final

from domain.agent.blocking_condition import (
    above_limit,
    blocking_condition,
    needs_human,
    order_blocking_condition,
    too_old,
)
from domain.agent.brain import Category, Proposal
from domain.agent.escalation_reason import EscalationReason
from domain.agent.intent import Intent
from domain.agent.plan import ACTIONS, ON_ORDERS, ActionKind, PlannedAction, Warrant
from domain.agent.policy_context import PolicyContext, Spent
from domain.agent.policy_decision import (
    CustomerQuestion,
    Judgement,
    PolicyDecision,
    PolicyReason,
    Ruling,
)
from domain.agent.proof import Proof, is_asked_by_merchant, proof_of
from domain.agent.reply_action import answer_action, reply_action
from domain.agent.rulebook import ActionLevel, ActionRule, Rulebook
from domain.core.plain_text import clean_text
from domain.integrations.order import Order

MAX_NOTE_CHARS: Final = 2_000
_TURNS: Final = tuple(ACTIONS)
# Reasons for which the agent asks which order the customer means.
_WHICH_ORDER: Final = frozenset({PolicyReason.ORDER_NOT_NAMED, PolicyReason.SEVERAL_ORDERS})
# Reasons that human approval resolves. A customer's confirmation does not resolve them.
_FOR_PEOPLE: Final = frozenset(
    {PolicyReason.SENDER_NOT_AUTHENTICATED, PolicyReason.UNKNOWN_LANGUAGE}
)


def available_actions(policy_context: PolicyContext) -> tuple[PlannedAction, ...]:
    """Return the available actions on the order and for the staff, with all values resolved.

    Omits actions with level `never` and actions that the order's state forbids. The result is empty
    for an unsafe message and for a message that must not be answered. Staff messages, auto-replies
    and mailing lists are never treated as a customer's request.

    Proof and limits are checked later, in `judge`. A brain may propose a forbidden action, which
    then waits for approval.
    """
    return tuple(
        resolved(policy_context, kind)
        for kind in _TURNS
        if blocking_condition(policy_context, kind) is None
    )


def judge(
    policy_context: PolicyContext,
    category: Category,
    proposals: tuple[Proposal, ...],
    intents: tuple[Intent, ...] = (),
) -> Judgement:
    """Evaluate a brain's proposals. Return the decisions and the plan, which ends with the answer
    to the customer.

    The plan omits refused actions. If one action needs approval, the whole plan waits, because the
    answer may mention that action. If the customer must confirm an action, a question replaces the
    answer.
    """
    plan: list[PlannedAction] = []
    verdicts: list[PolicyDecision] = []
    question: CustomerQuestion | None = None
    about = (category, intents)
    for proposal in _by_kind(proposals):
        action = _chosen(policy_context, proposal)
        verdict, proof = _verdict(policy_context, about, proposal, action)
        if ACTIONS[proposal.kind].covered_by in {step.kind for step in plan}:
            verdict = _refused(proposal.kind, PolicyReason.COVERED_BY_CANCEL)
        verdicts.append(verdict)
        if action is None or verdict.ruling is Ruling.REFUSED:
            continue
        if verdict.ruling is not Ruling.ASK:
            plan.append(action.model_copy(update={"warrant": proof.warrant}))
        elif question is None:
            certain = verdict.reason not in _WHICH_ORDER
            question = CustomerQuestion(kind=action.kind, action=action if certain else None)
    if question is not None and any(step.kind in ON_ORDERS for step in plan):
        # Do not ask the customer about an action while the plan contains another action on the
        # order. The two actions conflict, so a human decides.
        question, verdicts = None, [_instead_of_asking(verdict) for verdict in verdicts]
    if policy_context.event.reply_allowed:
        reply = reply_action(policy_context)
        verdicts.append(_of_reply(policy_context.rulebook.rule(reply.kind), reply.kind, about))
        if verdicts[-1].ruling is not Ruling.REFUSED:
            plan.append(answer_action(policy_context))
    doubt = _doubt(policy_context, verdicts)
    return Judgement(
        plan=tuple(plan),
        verdicts=tuple(verdicts),
        doubt=doubt,
        question=question if doubt is None else None,
    )


def asking(
    policy_context: PolicyContext, kind: ActionKind, action: PlannedAction | None
) -> Judgement | None:
    """Return the judgement with a question to the customer, or None if the agent must not ask.

    The question asks whether to execute `action`. If `action` is None, it asks which order `kind`
    applies to.
    """
    rule = policy_context.rulebook.rule(kind)
    if rule.level not in (ActionLevel.AUTONOMOUS, ActionLevel.CUSTOMER_CONFIRMED):
        return None
    if action and action.amount and above_limit(rule.limits, action.amount, policy_context.spent):
        return None
    if needs_human(policy_context.order, policy_context.spent):
        return None
    reason = PolicyReason.NOT_CONFIRMED if action else PolicyReason.ORDER_NOT_NAMED
    asked = judge(policy_context, Category.REFUND_REQUEST, ())
    return asked.model_copy(
        update={
            "verdicts": (
                PolicyDecision(kind=kind, ruling=Ruling.ASK, reason=reason),
                *asked.verdicts,
            ),
            "question": CustomerQuestion(kind=kind, action=action),
        }
    )


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
    """Return the reason why an action on an order must not run now, or None.

    One human approval replaces the warrant and overrides the level, a dispute and the order's age.
    Two approvals override the limits. No approval overrides level `never` or the checks of the
    order's owner and state.

    `spent` must exclude this run. Do not call this after the action was triggered: the order may
    already show its effect.
    """
    rule = rulebook.rule(action.kind)
    if rule.level is ActionLevel.NEVER:
        return PolicyReason.LEVEL_NEVER
    if (action.order_id, action.integration_id) != (order.id, order.integration_id):
        return PolicyReason.NOT_THEIRS
    reason = order_blocking_condition(action.kind, order, spent, customer_email)
    if reason is None and action.amount != order.refundable:
        reason = PolicyReason.AMOUNT_CHANGED
    if reason is None and approvals < 1:
        reason = _not_entitled(rule, action.warrant) or needs_human(order, spent)
        if reason is None and too_old(rule, order, now):
            reason = PolicyReason.ORDER_TOO_OLD
    if reason is None and approvals < 2:
        reason = above_limit(rule.limits, order.refundable, spent)
    return reason


def resolved(policy_context: PolicyContext, kind: ActionKind) -> PlannedAction:
    """Return the action with all values that are set by code. The caller must have checked that the
    values exist."""
    if kind in ON_ORDERS and (order := policy_context.order):
        return PlannedAction(
            kind=kind,
            integration_id=order.integration_id,
            order_id=order.id,
            order_number=order.number,
            amount=order.refundable,
        )
    desk = policy_context.desk
    return PlannedAction(
        kind=kind,
        integration_id=desk.integration_id if desk else None,
        ticket_id=policy_context.event.ticket_id if desk else None,
        tags=policy_context.rulebook.rule(kind).tags,
    )


def _not_entitled(rule: ActionRule, warrant: Warrant | None) -> PolicyReason | None:
    """Return the reason why an action needs human approval, or None if `warrant` suffices."""
    if rule.level is ActionLevel.HUMAN_APPROVED:
        return PolicyReason.LEVEL_HUMAN
    if warrant is None:
        return PolicyReason.NOT_ASKED
    if warrant is Warrant.MERCHANT_REQUEST:
        return None if rule.merchant_requests else PolicyReason.NOT_ASKED
    unconfirmed = warrant is not Warrant.CONFIRMATION
    if rule.level is ActionLevel.CUSTOMER_CONFIRMED and unconfirmed:
        return PolicyReason.NOT_CONFIRMED
    return None


def _by_kind(proposals: tuple[Proposal, ...]) -> list[Proposal]:
    """Return one proposal for each kind, in the plan's order: the first proposal of the kind, with
    the tags from all proposals of the kind."""
    first: dict[ActionKind, Proposal] = {}
    for proposal in proposals:
        before = first.setdefault(proposal.kind, proposal)
        tags = dict.fromkeys((*before.tags, *proposal.tags))
        first[proposal.kind] = before.model_copy(update={"tags": tuple(tags)})
    return sorted(first.values(), key=lambda one: _TURNS.index(one.kind))


def _chosen(policy_context: PolicyContext, proposal: Proposal) -> PlannedAction | None:
    """Return the proposed action with its text or tags, or None if the action is unavailable or its
    text or tags are empty."""
    if blocking_condition(policy_context, proposal.kind):
        return None
    offer = resolved(policy_context, proposal.kind)
    match ACTIONS[proposal.kind].chosen:
        case "tags":
            tags = tuple(tag for tag in offer.tags if tag in proposal.tags)
            return offer.model_copy(update={"tags": tags}) if tags else None
        case "text":
            text = clean_text(proposal.text, MAX_NOTE_CHARS)
            return offer.model_copy(update={"text": text}) if text else None
        case None:
            return offer


_About = tuple[Category, tuple[Intent, ...]]


def _verdict(
    policy_context: PolicyContext, about: _About, proposal: Proposal, action: PlannedAction | None
) -> tuple[PolicyDecision, Proof]:
    """Return the policy decision on a proposal, and the proof of the customer's request for it."""
    kind = proposal.kind
    if action is None:
        return _refused(
            kind, blocking_condition(policy_context, kind) or PolicyReason.NOT_OFFERED
        ), Proof()
    rule = policy_context.rulebook.rule(kind)
    asked_as_data = is_asked_by_merchant(policy_context, kind)
    if not asked_as_data and (reason := _out_of_scope(rule, about)):
        return _refused(kind, reason), Proof()
    if kind not in ON_ORDERS or policy_context.order is None:
        return _by_level(kind, rule), Proof()
    proof = proof_of(policy_context, proposal, policy_context.order)
    return _of_order(policy_context, rule, action, proof), proof


def _of_order(
    policy_context: PolicyContext, rule: ActionRule, action: PlannedAction, proof: Proof
) -> PolicyDecision:
    missing, by_people = proof.missing, rule.level is ActionLevel.HUMAN_APPROVED
    unentitled = _not_entitled(rule, proof.warrant)
    above = action.amount and above_limit(rule.limits, action.amount, policy_context.spent)
    reason: PolicyReason | None = missing or unentitled
    if missing is PolicyReason.NOT_ASKED or (missing in _WHICH_ORDER and by_people):
        ruling = Ruling.REFUSED
    elif missing in _WHICH_ORDER:
        ruling = Ruling.ASK
    elif above:
        ruling, reason = Ruling.NEEDS_SECOND, above
    elif doubtful := needs_human(policy_context.order, policy_context.spent):
        ruling, reason = Ruling.NEEDS_APPROVAL, doubtful
    elif missing in _FOR_PEOPLE or by_people:
        ruling, reason = Ruling.NEEDS_APPROVAL, missing if missing in _FOR_PEOPLE else unentitled
    else:
        ruling = Ruling.ASK if reason else Ruling.ALLOWED
    return PolicyDecision(kind=action.kind, ruling=ruling, reason=reason)


def _out_of_scope(rule: ActionRule, about: _About) -> PolicyReason | None:
    """Return the reason why the rule's categories or intents exclude the message, or None if they
    include it."""
    category, intents = about
    if rule.categories and category not in rule.categories:
        return PolicyReason.WRONG_CATEGORY
    if rule.intents and not set(intents) & set(rule.intents):
        return PolicyReason.WRONG_INTENT
    return None


def _of_reply(rule: ActionRule, kind: ActionKind, about: _About) -> PolicyDecision:
    """Return the decision on the reply. If the rule does not cover the message, the reply needs
    approval and becomes a draft for human agents to send."""
    reason = _out_of_scope(rule, about)
    if reason and rule.level is not ActionLevel.NEVER:
        return PolicyDecision(kind=kind, ruling=Ruling.NEEDS_APPROVAL, reason=reason)
    return _by_level(kind, rule)


def _by_level(kind: ActionKind, rule: ActionRule) -> PolicyDecision:
    if rule.level is ActionLevel.NEVER:
        return _refused(kind, PolicyReason.LEVEL_NEVER)
    if rule.level is ActionLevel.HUMAN_APPROVED:
        reason = PolicyReason.LEVEL_HUMAN
        return PolicyDecision(kind=kind, ruling=Ruling.NEEDS_APPROVAL, reason=reason)
    return PolicyDecision(kind=kind, ruling=Ruling.ALLOWED)


def _refused(kind: ActionKind, reason: PolicyReason) -> PolicyDecision:
    return PolicyDecision(kind=kind, ruling=Ruling.REFUSED, reason=reason)


def _instead_of_asking(verdict: PolicyDecision) -> PolicyDecision:
    asks = verdict.ruling is Ruling.ASK
    return verdict.model_copy(update={"ruling": Ruling.REFUSED}) if asks else verdict


def _doubt(
    policy_context: PolicyContext, verdicts: list[PolicyDecision]
) -> EscalationReason | None:
    if policy_context.unsafe:
        return EscalationReason.UNSAFE_INPUT
    if any(verdict.ruling not in (Ruling.ALLOWED, Ruling.ASK) for verdict in verdicts):
        return EscalationReason.POLICY_RESTRICTION
    return None
