"""Doubts: what keeps an answer from being sent, however sure the brain is of it."""

from typing import Final

from domain.agent.brain import BrainAnswer, BrainRequest, Category
from domain.agent.escalation_reason import EscalationReason
from domain.agent.grounding.grounding import claim_doubt, unsupported
from domain.agent.material import Material
from domain.agent.plan import ON_ORDERS, PlannedAction
from domain.agent.shown_file import depends_on_files
from domain.agent.thread import speaks_of_another
from domain.intake.order_number import asks_about_order
from domain.integrations.order import Lookup, LookupState

_ABOUT_ORDERS: Final = frozenset(
    {Category.ORDER_STATUS, Category.SHIPPING_ISSUE, Category.REFUND_REQUEST}
)


def doubt_of(
    material: Material,
    request: BrainRequest,
    answer: BrainAnswer,
    plan: tuple[PlannedAction, ...],
) -> EscalationReason | None:
    """Why a human must see the answer, however sure the brain is; None if nothing speaks for it."""
    return (
        _doubt_of_history(material, answer.classification)
        or _doubt_of_lookup(material, answer.classification)
        or _doubt_of_sources(answer, request)
        or _doubt_of_files(material, answer, plan)
        or claim_doubt(answer, plan, request)
    )


def _doubt_of_history(material: Material, category: Category) -> EscalationReason | None:
    """Who asks for money of an order that the agent gave back already needs a human's eyes: no
    offer is made any more, so the brain would answer as if nothing had happened."""
    asks = category is Category.REFUND_REQUEST and bool(material.spent.on_order)
    return EscalationReason.POLICY_RESTRICTION if asks else None


def _doubt_of_lookup(material: Material, category: Category) -> EscalationReason | None:
    """A question about an order is not answered from hearsay where a shop could tell.

    Not even where it was not asked: of whom nobody vouches for, no order is looked up.
    """
    about_one = category is Category.ORDER_STATUS or material.event.order_number is not None
    if category not in _ABOUT_ORDERS or not about_one or not material.has_shop:
        return None
    if not material.event.order_numbers and speaks_of_another(material.event.text):
        return EscalationReason.MISSING_KNOWLEDGE  # nobody looked that one up
    match material.lookup:
        case Lookup(state=LookupState.FOUND):
            return None
        case Lookup(state=LookupState.UNAVAILABLE):
            return EscalationReason.TOOL_FAILURE
        case None if asks_about_order(material.event):
            return EscalationReason.TOOL_FAILURE  # it was to be looked up, and nothing came of it
        case _:
            return EscalationReason.MISSING_KNOWLEDGE


def _doubt_of_sources(answer: BrainAnswer, request: BrainRequest) -> EscalationReason | None:
    """What is asserted without a source is seen by a human first."""
    return (
        EscalationReason.MISSING_KNOWLEDGE
        if unsupported(answer.response, answer.citations, request)
        else None
    )


def _doubt_of_files(
    material: Material, answer: BrainAnswer, plan: tuple[PlannedAction, ...]
) -> EscalationReason | None:
    """A message that speaks of a file is not answered by a brain that has not looked at it. An
    image may have words of a stranger in it: with one, nothing is done to an order."""
    if answer.seen_files and any(action.kind in ON_ORDERS for action in plan):
        return EscalationReason.POLICY_RESTRICTION
    if len(material.attachments) <= answer.seen_files:
        return None
    depends = depends_on_files(material.event.words, answer.intents)
    return EscalationReason.MISSING_KNOWLEDGE if depends else None
