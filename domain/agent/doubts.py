"""Reasons to hold an answer for human review, regardless of the brain's confidence."""

from typing import Final

from domain.agent.attachment_preview import depends_on_files
from domain.agent.brain import BrainAnswer, BrainRequest, Category
from domain.agent.brain_context import BrainContext
from domain.agent.escalation_reason import EscalationReason
from domain.agent.grounding.assertion import asserts, sentences
from domain.agent.grounding.grounding import claim_doubt, unsupported
from domain.agent.plan import ON_ORDERS, PlannedAction
from domain.agent.thread import speaks_of_another
from domain.intake.order_number import asks_about_order
from domain.integrations.order import Lookup, LookupState

_ABOUT_ORDERS: Final = frozenset(
    {Category.ORDER_STATUS, Category.SHIPPING_ISSUE, Category.REFUND_REQUEST}
)


def doubt_of(
    context: BrainContext,
    request: BrainRequest,
    answer: BrainAnswer,
    plan: tuple[PlannedAction, ...],
) -> EscalationReason | None:
    """Return the reason why a human must review the answer, or None if no review is required."""
    return (
        _doubt_of_history(context, answer.classification)
        or _doubt_of_lookup(context, answer)
        or _doubt_of_sources(answer, plan, request)
        or _doubt_of_files(context, answer, plan)
        or claim_doubt(answer, plan, request)
    )


def doubt_beside_words(
    context: BrainContext,
    answer: BrainAnswer,
    plan: tuple[PlannedAction, ...],
) -> EscalationReason | None:
    """Return the reason for a review that no other wording of the answer could remove, or None."""
    return (
        _doubt_of_history(context, answer.classification)
        or _doubt_of_lookup(context, answer)
        or _doubt_of_files(context, answer, plan)
    )


def _doubt_of_history(context: BrainContext, category: Category) -> EscalationReason | None:
    """Return POLICY_RESTRICTION for a refund request about an order on which the agent has already
    acted, else None.

    No further action on such an order is available, so the brain would answer as if nothing had
    happened.
    """
    asks = category is Category.REFUND_REQUEST and bool(context.spent.on_order)
    return EscalationReason.POLICY_RESTRICTION if asks else None


def _doubt_of_lookup(context: BrainContext, answer: BrainAnswer) -> EscalationReason | None:
    """Return the reason to hold an answer about an order that was not found, or None.

    Answers to unverified customers are held too because their orders are not looked up. Without a
    connected shop, nothing is held. An answer that only asks for the order number is not held.
    """
    category = answer.classification
    about_one = category is Category.ORDER_STATUS or context.event.order_number is not None
    needs_order = category in _ABOUT_ORDERS and about_one and context.has_shop
    if not needs_order or _only_asks_for_number(context, answer):
        return None
    if not context.event.order_numbers and speaks_of_another(context.event.text):
        return (
            EscalationReason.MISSING_KNOWLEDGE
        )  # The customer means another order, which was not looked up.
    match context.lookup:
        case Lookup(state=LookupState.FOUND):
            return None
        case Lookup(state=LookupState.UNAVAILABLE):
            return EscalationReason.TOOL_FAILURE
        case None if asks_about_order(context.event):
            return EscalationReason.TOOL_FAILURE  # A lookup was required but found no order.
        case _:
            return EscalationReason.MISSING_KNOWLEDGE


def _only_asks_for_number(context: BrainContext, answer: BrainAnswer) -> bool:
    """Return True if the answer asks for the order number, for the first time, and states nothing.

    The customer must be allowed to access orders, and must not have given a number. Otherwise, the
    number is of no use, or a shop did not respond.
    """
    event, lookup = context.event, context.lookup
    if not answer.asks_order_number or not event.may_read or context.thread.asked_number:
        return False
    is_failed = lookup is not None and lookup.state is LookupState.UNAVAILABLE
    if event.order_numbers or is_failed:
        return False
    return not any(asserts(one, context.brand_name) for one in sentences(answer.response))


def _doubt_of_sources(
    answer: BrainAnswer, plan: tuple[PlannedAction, ...], request: BrainRequest
) -> EscalationReason | None:
    """Return MISSING_KNOWLEDGE if the answer makes a statement without a source, else None."""
    return EscalationReason.MISSING_KNOWLEDGE if unsupported(answer, plan, request) else None


def _doubt_of_files(
    context: BrainContext, answer: BrainAnswer, plan: tuple[PlannedAction, ...]
) -> EscalationReason | None:
    """Return the reason to hold an answer because of the message's attachments, or None.

    An answer is held if it depends on an attachment that the brain has not examined. If the brain
    has seen an image, a plan that changes an order is held too: the image may contain a third
    party's words.
    """
    if answer.seen_files and any(action.kind in ON_ORDERS for action in plan):
        return EscalationReason.POLICY_RESTRICTION
    if len(context.attachments) <= answer.seen_files:
        return None
    depends = depends_on_files(context.event.words, answer.intents)
    return EscalationReason.MISSING_KNOWLEDGE if depends else None
