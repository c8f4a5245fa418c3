"""The event fields that an answer may repeat.

An unverified caller can send an event in a victim's name, and the answer goes to the victim. That
caller's fields must not fill the merchant's templates.
"""

from typing import Final

from domain.agent.greeting import NAME_FIELDS, is_greetable
from domain.intake.event import UnifiedEvent
from domain.intake.order_number import is_order_number

_ORDER_NUMBER: Final = "order_number"
_CUSTOMER_EMAIL: Final = "customer_email"
_ORDER_FACTS: Final = ("order_", "tracking")


def answer_fields(event: UnifiedEvent, *, has_shop: bool) -> dict[str, str]:
    """Return the event fields that an answer may repeat.

    Trusted callers may state any fact. For other callers, only a valid order number and the
    author's verified address are returned. With a connected shop, order facts from the caller are
    omitted.

    The customer's name is included only if a greeting may use it.
    """
    return {
        key: value
        for key, value in event.fields.items()
        if _may_repeat(event, key, value, has_shop=has_shop)
    }


def links_are_merchants(event: UnifiedEvent, *, has_shop: bool) -> bool:
    """Return True if a link in the event's fields counts as the merchant's own statement. Return
    False if a shop is connected, because links then come only from the shop."""
    return event.may_state_facts and not has_shop


def states_order_fact(name: str) -> bool:
    """Return True if a placeholder states a fact about an order, other than the order's number."""
    folded = name.casefold()
    return folded != _ORDER_NUMBER and folded.startswith(_ORDER_FACTS)


def _may_repeat(event: UnifiedEvent, key: str, value: str, *, has_shop: bool) -> bool:
    if key in NAME_FIELDS:
        return event.may_be_named and is_greetable(value)
    if event.may_state_facts:
        return not (has_shop and states_order_fact(key))
    if key == _ORDER_NUMBER:
        return is_order_number(value)
    return key == _CUSTOMER_EMAIL and event.may_act
