"""Prove that the customer plainly requested an action on one specific order.

Without a proof, the agent does not act on an order autonomously. The proof uses the customer's
words in the latest message and in the thread, never a brain's interpretation.
"""

from pydantic import BaseModel, ConfigDict

from domain.agent.brain import Proposal
from domain.agent.lookup import number_asked_for
from domain.agent.plan import ActionKind, Warrant
from domain.agent.policy_context import PolicyContext
from domain.agent.policy_decision import PolicyReason
from domain.agent.speech.language import has_grammar
from domain.agent.speech.reading import spoken_request, veto_of
from domain.agent.speech.request import Standing
from domain.agent.speech.unqualified import is_unqualified
from domain.agent.thread import speaks_of_another
from domain.core.text import fold
from domain.intake.order_number import find_order_numbers, numbers_of_author
from domain.integrations.order import Order


class Proof(BaseModel):
    """The result of a proof. Either `warrant` is the basis for the action, or `missing` is the
    reason why there is none."""

    model_config = ConfigDict(frozen=True)

    warrant: Warrant | None = None
    missing: PolicyReason | None = None


def proof_of(policy_context: PolicyContext, proposal: Proposal, order: Order) -> Proof:
    """Return the proof that the customer requested the proposed action on `order`, the looked-up
    order."""
    if policy_context.confirmed is proposal.kind:
        return Proof(warrant=Warrant.CONFIRMATION)
    if is_asked_by_merchant(policy_context, proposal.kind):
        return Proof(warrant=Warrant.MERCHANT_REQUEST)
    standing, event = _standing(policy_context, proposal), policy_context.event
    named_by_customer = bool(numbers_of_author(event)) or policy_context.thread.named_by_customer
    if standing is Standing.NONE:
        missing: PolicyReason | None = PolicyReason.NOT_ASKED
    elif doubt := _doubt_of_order(policy_context, order):
        missing = doubt
    elif not event.may_act:
        missing = PolicyReason.SENDER_NOT_AUTHENTICATED
    elif not has_grammar(_words(policy_context)):
        missing = PolicyReason.UNKNOWN_LANGUAGE
    elif standing is Standing.LIKELY or not named_by_customer:
        missing = PolicyReason.NOT_CERTAIN
    else:
        missing = None
    return Proof(warrant=None if missing else Warrant.REQUEST, missing=missing)


def is_asked_by_merchant(policy_context: PolicyContext, kind: ActionKind) -> bool:
    """Return True if the merchant's system requests this action on the order, and the playbook
    accepts such requests."""
    asked, order = policy_context.event.merchant_request, policy_context.order
    if asked is None or order is None or policy_context.event.author is not None:
        return False
    enabled = policy_context.rulebook.rule(kind).merchant_requests
    return enabled and asked.kind == kind.value and is_number_of(asked.order_number, order)


def is_number_of(number: str, order: Order) -> bool:
    """Return True if a number, as the customer wrote it, matches this order's number or its id in
    the shop."""
    spelt = _spelling(number)
    return bool(spelt) and spelt in (
        _spelling(order.number),
        _spelling(order.id.rpartition("/")[2]),
    )


def _standing(policy_context: PolicyContext, proposal: Proposal) -> Standing:
    """Return the certainty with which the customer requested the proposed action.

    A request is PLAIN only if every word around it is understood. It is LIKELY if a word is
    unknown, or if only a model found it. The customer must confirm a LIKELY request. Without a
    grammar for the language, the message must contain the quoted words. In a ticket, a request made
    before its author's verification is at most LIKELY.
    """
    words = _words(policy_context)
    spoken = spoken_request(words)
    if spoken.kind is proposal.kind and spoken.standing is not Standing.NONE:
        plain = spoken.standing is Standing.PLAIN and is_unqualified(words, spoken.quote)
        is_authors = not policy_context.event.asked_before_code
        return Standing.PLAIN if plain and is_authors else Standing.LIKELY
    if not proposal.quote.strip() or proposal.quote not in words:
        return Standing.NONE
    if spoken.vetoes or veto_of(proposal.quote, words) is not None:
        return Standing.NONE
    return Standing.LIKELY


def _doubt_of_order(policy_context: PolicyContext, order: Order) -> PolicyReason | None:
    """Return the reason why it is uncertain whether the customer means this order, or None if it is
    certain."""
    # Parse the numbers as in an answer to "Which order?", where a bare number also counts as an
    # order number.
    could_be = find_order_numbers(_words(policy_context), asked=True)
    if not could_be and speaks_of_another(_words(policy_context)):
        return PolicyReason.ORDER_NOT_NAMED
    named = policy_context.event.order_numbers
    if len(named) > 1:
        asked_for = number_asked_for(policy_context.event)
        likely = asked_for is not None and is_number_of(asked_for, order)
        return PolicyReason.NOT_CERTAIN if likely else PolicyReason.SEVERAL_ORDERS
    meant = named[0] if named else policy_context.thread.order_number
    if meant is None or not is_number_of(meant, order):
        return PolicyReason.ORDER_NOT_NAMED
    others = [number for number in could_be if not is_number_of(number, order)]
    return PolicyReason.NOT_CERTAIN if others else None


def _words(policy_context: PolicyContext) -> str:
    """Return the text of the latest message, or its subject if the text is empty.

    The subject is not used after a code has verified a ticket's author, because another person may
    have written it.
    """
    event = policy_context.event
    if event.text.strip() or (event.is_proved_by_code and not event.asked_before_code):
        return event.text
    return event.subject or ""


def _spelling(number: str) -> str:
    return "".join(mark for mark in fold(number) if mark.isalnum())
