"""Choose the order to look up, from the message and its thread."""

import re
from typing import Final

from domain.agent.speech.reading import spoken_request
from domain.agent.thread import Thread, speaks_of_another
from domain.intake.event import UnifiedEvent
from domain.intake.order_number import asks_about_order, find_order_numbers

# Matches further orders in the same request, except orders that the customer wants to keep.
_GOES_ON: Final = re.compile(
    r"\s*(?:,|&|\+|/|and\b|et\b|or\b|ou\b)"
    r"(?!\s*(?:and |et |but |mais )?(?:keep|leave|not|gardez|garde|garder|laissez|laisse|pas)\b)"
    r"(?P<more>[^.!?;\n]{0,40})",
    re.IGNORECASE,
)


def looks_up(event: UnifiedEvent, thread: Thread) -> bool:
    """Return True if the agent should look up an order for the event.

    An order is looked up if the event's sender is allowed to access orders, and the message or its
    thread refers to an order.
    """
    if not event.may_read:
        return False
    goes_on = thread.order_number or thread.proposal or thread.asked_number
    return bool(goes_on) or asks_about_order(event)


def order_to_find(event: UnifiedEvent, thread: Thread) -> str | None:
    """Return the number of the order to look up, or None to look up the customer's latest order."""
    if event.merchant_request is not None:
        return event.order_number
    if len(event.order_numbers) > 1:
        return number_asked_for(event) or event.order_number
    if event.order_number is not None:
        return event.order_number
    if thread.proposal is not None:
        return thread.proposal.action.order_number
    return None if speaks_of_another(event.text) else thread.order_number


def number_asked_for(event: UnifiedEvent) -> str | None:
    """Return the number of the only order on which the customer requests an action, or None.

    For "keep 3309. Cancel 3310.", return 3310. For "1042 and 1043", return None. The agent may ask
    about this order, but must not act on it without an answer.
    """
    quote = spoken_request(event.text).quote
    if not quote:
        return None
    goes_on = _GOES_ON.match(event.text.partition(quote)[2])
    more = goes_on["more"].casefold() if goes_on else ""
    said = find_order_numbers(quote, asked=True)
    if any(number.casefold() in more for number in event.order_numbers):
        return None
    meant = [number for number in event.order_numbers if number in said]
    return meant[0] if len(meant) == 1 else None
