"""The shop for a test case: its orders, and a playbook with the most permissive rules."""

from datetime import timedelta
from typing import Final

from domain.agent.brain import Category, Turn
from domain.agent.brain_context import BrainContext
from domain.agent.lookup import looks_up, order_to_find
from domain.agent.plan import ActionKind, PlannedAction
from domain.agent.policy_context import Connection
from domain.agent.rulebook import ActionLevel, ActionRule, MoneyLimits, Rulebook
from domain.agent.thread import PendingProposal, Thread
from domain.core.money import MAX_MINOR, Money
from domain.intake.customer_email import customer_key
from domain.intake.event import DEFAULT_EVENT_TYPE, InboundEvent, UnifiedEvent
from domain.intake.normalization import normalize
from domain.intake.order_number import find_order_numbers, with_asked_number
from domain.integrations.order import Lookup, LookupState, Order, OrderState
from domain.integrations.providers import Provider
from evaluation.action_case import CURRENCY, ActionCase, CaseOrder, CasePending
from evaluation.attacked_shop import NOW
from evaluation.ready_answers import ready_answers

_CUSTOMER: Final = "ines.faure@customer.example"
_SHOP: Final = Connection(integration_id="shop", provider=Provider.SHOPIFY)
_PLAYBOOK: Final = ("playbook", 1)
_RULE: Final = ActionRule(
    level=ActionLevel.AUTONOMOUS, limits=MoneyLimits(currency=CURRENCY, per_action=MAX_MINOR)
)
_RULEBOOK: Final = Rulebook(
    actions={ActionKind.REFUND: _RULE, ActionKind.CANCEL_ORDER: _RULE},
)


def event_of(text: str, thread: Thread) -> UnifiedEvent:
    """Return the customer's message, normalized as in the product, with a verified customer.

    After a question from the agent, a bare number is an order number.
    """
    inbound = InboundEvent(event_type=DEFAULT_EVENT_TYPE, customer_email=_CUSTOMER, message=text)
    event = normalize(inbound, fallback_ticket_id="evaluation")
    return with_asked_number(event) if thread.asked_number or thread.proposal else event


def material_of(
    case: ActionCase, text: str, thread: Thread, turns: tuple[Turn, ...]
) -> BrainContext:
    """Return the agent's complete input for one message in the case."""
    event = event_of(text, thread)
    answers = ready_answers()
    return BrainContext(
        event=event,
        brand_name="Maison Test",
        rulebook=_RULEBOOK,
        templates=answers.ready + answers.promising,
        passages=(),
        turns=turns,
        lookup=looked_up(case, event, thread),
        connections=(_SHOP,),
        has_shop=True,
        thread=thread,
        run_id="run",
        playbook=_PLAYBOOK,
    )


def looked_up(case: ActionCase, event: UnifiedEvent, thread: Thread) -> Lookup | None:
    """Return the shop's response to the lookup: the order with the requested number, or the latest
    order if no number was requested.

    Return None if the product would not look up an order.
    """
    if not looks_up(event, thread):
        return None
    number = order_to_find(event, thread)
    orders = _orders(case)
    if number is None:
        return Lookup(state=LookupState.FOUND, order=orders[0])
    found = next((it for it in orders if it.number.casefold() == number.casefold()), None)
    if found is None:
        return Lookup(state=LookupState.NOT_FOUND, number=number)
    return Lookup(state=LookupState.FOUND, order=found, number=number)


def order_named_in(text: str, case: ActionCase) -> Order | None:
    """Return the customer's order that a message from the agent mentions. Return None if the
    message mentions none of the customer's orders, or several."""
    named = [it for it in _orders(case) if it.number in find_order_numbers(text)]
    return named[0] if len(named) == 1 else None


def proposal_of(case: ActionCase, pending: CasePending) -> PendingProposal:
    """Return the proposal that the product stores while the customer's confirmation of the action
    is pending."""
    order = next(it for it in _orders(case) if it.number == pending.order)
    return PendingProposal(
        id="run-before",
        action=PlannedAction(
            kind=pending.action.kind,
            integration_id=order.integration_id,
            order_id=order.id,
            order_number=order.number,
            amount=order.refundable,
        ),
        category=Category.REFUND_REQUEST,
        playbook_id=_PLAYBOOK[0],
        playbook_version=_PLAYBOOK[1],
        customer=customer_key(_CUSTOMER) or "",
        asked_at=NOW - timedelta(minutes=20),
    )


def _orders(case: ActionCase) -> tuple[Order, ...]:
    """Return the orders of the case, newest first, dated one day apart."""
    return tuple(_order(given, days) for days, given in enumerate(case.orders, start=2))


def _order(given: CaseOrder, days: int) -> Order:
    left = 0 if given.state is OrderState.CANCELLED else given.worth.minor
    return Order(
        integration_id=_SHOP.integration_id,
        provider=_SHOP.provider,
        id=f"order-{given.number}",
        number=given.number,
        customer_email=_CUSTOMER,
        state=given.state,
        total=given.worth,
        refundable=Money(minor=left, currency=CURRENCY),
        placed_at=NOW - timedelta(days=days),
        tracking_url="https://carrier.example/INES-1",
        items=("Lamp",),
    )
