"""Which order a message is about, as far as text and thread tell before the shop is asked."""

import re
from typing import Final

from domain.agent.consent.likely_request import likely_request
from domain.agent.thread import Thread, speaks_of_another
from domain.intake.event import UnifiedEvent
from domain.intake.order_number import asks_about_order, find_order_numbers

# Something more in the same breath, unless it is to be kept.
_GOES_ON: Final = re.compile(
    r"\s*(?:,|&|\+|/|and\b|et\b|or\b|ou\b)"
    r"(?!\s*(?:and |et |but |mais )?(?:keep|leave|not|gardez|garde|garder|laissez|laisse|pas)\b)"
    r"(?P<more>[^.!?;\n]{0,40})",
    re.IGNORECASE,
)


def looks_up(event: UnifiedEvent, thread: Thread) -> bool:
    """Whether an order should be looked up: the customer is known, and one is spoken of, in this
    message or in the exchange before it."""
    if not event.may_read:
        return False
    goes_on = thread.order_number or thread.proposal or thread.asked_number
    return bool(goes_on) or asks_about_order(event)


def order_to_find(event: UnifiedEvent, thread: Thread) -> str | None:
    """The number to look for; None for the customer's latest order, which may only be spoken of."""
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
    """Of several numbers in a message, the one in the words that ask for an action: "keep 3309.
    Cancel 3310." Enough to ask the customer about, and never to act on.

    None for "1042 and 1043".
    """
    asked = likely_request(event.text)
    if asked is None:
        return None
    quote = asked.quote
    goes_on = _GOES_ON.match(event.text.partition(quote)[2])
    more = goes_on["more"].casefold() if goes_on else ""
    said = find_order_numbers(quote, asked=True)
    if any(number.casefold() in more for number in event.order_numbers):
        return None
    meant = [number for number in event.order_numbers if number in said]
    return meant[0] if len(meant) == 1 else None
