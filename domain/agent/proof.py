"""The proof: whether the customer plainly asked for an action on one certain order.

Without it the agent does nothing about an order by its own decision. It rests on the customer's
latest own words and on the thread, never on what a brain says of them.
"""

from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from domain.agent.brain import Proposal
from domain.agent.consent.likely_request import likely_request, speaks_against
from domain.agent.consent.plain_request import plain_request
from domain.agent.language import is_read
from domain.agent.lookup import number_asked_for
from domain.agent.plan import ActionKind, Warrant
from domain.agent.situation import Situation
from domain.agent.thread import speaks_of_another
from domain.agent.verdict import PolicyReason
from domain.core.text import fold
from domain.intake.order_number import find_order_numbers, numbers_of_author
from domain.integrations.order import Order


class Standing(StrEnum):
    """How surely an action is asked for. `plain`: it may be done at once. `likely`: the customer
    is asked."""

    PLAIN = "plain"
    LIKELY = "likely"
    NONE = "none"


class Proof(BaseModel):
    """`warrant` where the proof is complete, else `missing`: what is not proved."""

    model_config = ConfigDict(frozen=True)

    warrant: Warrant | None = None
    missing: PolicyReason | None = None


def proof_of(situation: Situation, proposal: Proposal, order: Order) -> Proof:
    """What entitles the agent to do what is proposed about `order`, the one that was looked up."""
    if situation.confirmed is proposal.kind:
        return Proof(warrant=Warrant.CONFIRMATION)
    if is_asked_by_merchant(situation, proposal.kind):
        return Proof(warrant=Warrant.MERCHANT_REQUEST)
    standing, event = _standing(situation, proposal, order), situation.event
    named_by_customer = bool(numbers_of_author(event)) or situation.thread.named_by_customer
    if standing is Standing.NONE:
        missing: PolicyReason | None = PolicyReason.NOT_ASKED
    elif doubt := _doubt_of_order(situation, order):
        missing = doubt
    elif not event.may_act:
        missing = PolicyReason.SENDER_NOT_AUTHENTICATED
    elif not is_read(_words(situation)):
        missing = PolicyReason.UNKNOWN_LANGUAGE
    elif standing is Standing.LIKELY or not named_by_customer:
        missing = PolicyReason.NOT_CERTAIN
    else:
        missing = None
    return Proof(warrant=None if missing else Warrant.REQUEST, missing=missing)


def is_asked_by_merchant(situation: Situation, kind: ActionKind) -> bool:
    """Whether the merchant's own system asks for this action on the order that was looked up, and
    the playbook takes such requests."""
    asked, order = situation.event.merchant_request, situation.order
    if asked is None or order is None or situation.event.author is not None:
        return False
    enabled = situation.rulebook.rule(kind).merchant_requests
    return enabled and asked.kind == kind.value and is_number_of(asked.order_number, order)


def is_number_of(number: str, order: Order) -> bool:
    """Whether a customer's spelling of a number names this order, or its shop's id does."""
    spelt = _spelling(number)
    return bool(spelt) and spelt in (
        _spelling(order.number),
        _spelling(order.id.rpartition("/")[2]),
    )


def _standing(situation: Situation, proposal: Proposal, order: Order) -> Standing:
    """How surely it is asked for.

    Plain is only a message that is, as a whole, a form of the closed list, and names this order if
    it names one. What only a model sees, in words that do not speak against it, is likely. Words
    that stood in the ticket before its code are likely at most.
    """
    words = _words(situation)
    if not situation.event.asked_before_code and _is_plain(words, proposal.kind, order):
        return Standing.PLAIN
    likely = likely_request(words)
    if likely is not None and likely.kind is proposal.kind:
        return Standing.LIKELY
    if (
        not proposal.quote.strip()
        or proposal.quote not in words
        or speaks_against(words, proposal.kind)
    ):
        return Standing.NONE
    return Standing.LIKELY


def _is_plain(words: str, kind: ActionKind, order: Order) -> bool:
    plain = plain_request(words)
    if plain is None or plain.kind is not kind:
        return False
    return plain.number is None or is_number_of(plain.number, order)


def _doubt_of_order(situation: Situation, order: Order) -> PolicyReason | None:
    """Why it is not certain that this order is meant; None if it is."""
    # Read as in an answer to "which order?", where a bare number is one too.
    could_be = find_order_numbers(_words(situation), asked=True)
    if not could_be and speaks_of_another(_words(situation)):
        return PolicyReason.ORDER_NOT_NAMED
    named = situation.event.order_numbers
    if len(named) > 1:
        asked_for = number_asked_for(situation.event)
        likely = asked_for is not None and is_number_of(asked_for, order)
        return PolicyReason.NOT_CERTAIN if likely else PolicyReason.SEVERAL_ORDERS
    meant = named[0] if named else situation.thread.order_number
    if meant is None or not is_number_of(meant, order):
        return PolicyReason.ORDER_NOT_NAMED
    others = [number for number in could_be if not is_number_of(number, order)]
    return PolicyReason.NOT_CERTAIN if others else None


def _words(situation: Situation) -> str:
    """The customer's latest own words. A subject may be of an earlier mail. That of a ticket whose
    author a code proves may be another person's, and counts as words before the code alone."""
    event = situation.event
    if event.text.strip() or (event.is_proved_by_code and not event.asked_before_code):
        return event.text
    return event.subject or ""


def _spelling(number: str) -> str:
    return "".join(mark for mark in fold(number) if mark.isalnum())
