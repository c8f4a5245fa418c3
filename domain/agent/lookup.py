"""Which order a message is about, as far as text and thread tell before the shop is asked."""

from domain.agent.thread import Thread, speaks_of_another
from domain.intake.event import UnifiedEvent
from domain.intake.order_number import asks_about_order


def looks_up(event: UnifiedEvent, thread: Thread) -> bool:
    """Whether an order should be looked up: the customer is known, and one is spoken of, in this
    message or in the exchange before it."""
    if not (event.customer_email and event.customer_verified):
        return False
    goes_on = thread.order_number or thread.proposal or thread.asked_number
    return bool(goes_on) or asks_about_order(event)


def order_to_find(event: UnifiedEvent, thread: Thread) -> str | None:
    """The number to look for; None for the customer's latest order, which may only be spoken of."""
    if event.order_number is not None:
        return event.order_number
    if thread.proposal is not None:
        return thread.proposal.action.order_number
    return None if speaks_of_another(event.text) else thread.order_number
